"""The way to an object storage, by obstore. Credentials and endpoints come from the environment, as obstore takes them.

`AWS_…` for S3, `GOOGLE_…` for Google Cloud Storage, `AZURE_STORAGE_…` for Azure, the account's name too.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from obstore.store import from_url

from outlast.storage.object_errors import os_errors

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig

RETRY: RetryConfig = {
    "max_retries": 5,
    "retry_timeout": timedelta(seconds=60),
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=5), "base": 2},
}
"""For each request, of throttling and outages too. After it the attempt fails, and the job's own backoff begins."""
CHECKSUM_VARIABLE = "AWS_CHECKSUM_ALGORITHM"

_opened_by: set[int] = set()
"""The process whose threads serve obstore: it begins them once, and a fork does not take them along."""


class StoreOpener:
    """Opens the store at its first use, and refuses it to a child of the process that had used one."""

    def __init__(self, make: Callable[[], ObjectStore]) -> None:
        """Nothing is opened yet: a server that loads the app may still fork."""
        self._make = make
        self._store: ObjectStore | None = None

    def __call__(self) -> ObjectStore:
        """Give the store. Raises OSError when it can't be opened, or not in this process."""
        if _opened_by and os.getpid() not in _opened_by:  # it would wait for ever for threads that aren't there
            raise OSError(errno.ENOTSUP, "this process was forked from one that used the object storage")
        if self._store is None:
            _opened_by.add(os.getpid())
            with os_errors():
                self._store = self._make()
        return self._store


def store_at(url: str) -> ObjectStore:
    """The store of `s3://bucket/prefix`, `gs://bucket/prefix` or `az://container/prefix`."""
    options: dict[str, Any] = {"retry_config": RETRY}
    if url.startswith("s3://") and CHECKSUM_VARIABLE not in os.environ:
        options["config"] = {"checksum_algorithm": "SHA256"}  # which S3 verifies, of each part, and keeps
    return from_url(url, **options)
