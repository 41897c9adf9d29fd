"""The storage that the settings ask for."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from outlast.errors import DefinitionError
from outlast.settings import Settings
from outlast.storage.base import ChunkStore
from outlast.storage.results import ResultStorage


def storage_for(settings: Settings, chunks: ChunkStore, directory: Path) -> ResultStorage:
    """The storage of `storage_url`, or the database with a `directory` for large results.

    Nothing is opened before the first use. Raises DefinitionError when a library is missing.
    """
    url = settings.storage_url
    if url is None:
        return ResultStorage(chunks, directory, database_limit_bytes=settings.result_database_limit_bytes)
    if url.startswith("file:"):  # our own directory, which makes a file durable, and not obstore's
        return ResultStorage(chunks, Path(unquote(urlsplit(url).path)), database_limit_bytes=0)
    try:
        from outlast.storage.object_store import StoreOpener, store_at  # noqa: PLC0415 - an extra
        from outlast.storage.objects import ObjectResults, part_bytes_for  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("obstore"):
            raise
        raise DefinitionError("storage_url is an object storage, which needs: pip install 'outlast[objects]'") from None
    objects = ObjectResults(StoreOpener(partial(store_at, url)), part_bytes=part_bytes_for(settings.result_limit_bytes))
    return ResultStorage(chunks, directory, database_limit_bytes=0, objects=objects)
