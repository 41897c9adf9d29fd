"""What an object storage answers, as the errors that every storage raises.

obstore's own texts quote the store's answer: addresses, keys, for a wrong signature even the access key's id. None of
that passes here. The class, the errno and the HTTP status do.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError, UnauthenticatedError

REFUSED, THROTTLED, OUTSIDE = ("401", "403"), ("429", "503"), "416"
_REFUSED = errno.EACCES, "the object storage refuses the credentials"
_STATUS = re.compile(r"status code: (\d{3})")
_TIMED_OUT = re.compile(r"timed ?out", re.IGNORECASE)
_NO_BUCKET = re.compile(r"NoSuchBucket|ContainerNotFound|specified bucket does not exist", re.IGNORECASE)


@contextmanager
def os_errors() -> Iterator[None]:
    """Translate what is raised inside.

    Raises:
        FileNotFoundError: there is no such object, or it ends before the range that was asked for.
        FileExistsError: there is one already.
        PermissionError: the credentials don't suffice.
        TimeoutError: no answer came in time.
        OSError: anything else; EBUSY: the store throttles; ENXIO: there is no such bucket; EIO: no or another answer.
    """
    try:
        yield
    except (BaseError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # our own: obstore's carry a text alone
            raise
        raise _translated(error) from None


def _translated(error: Exception) -> OSError:
    number, message = _by_name(error) or _by_status(str(error))
    return OSError(number, message)  # of the subclass that goes with the number


def _by_name(error: Exception) -> tuple[int, str] | None:
    if _NO_BUCKET.search(str(error)):
        return errno.ENXIO, "the bucket does not exist"
    if isinstance(error, FileNotFoundError):
        return errno.ENOENT, "the object is gone"
    if isinstance(error, AlreadyExistsError):
        return errno.EEXIST, "the object exists already"
    if isinstance(error, PermissionDeniedError | UnauthenticatedError):
        return _REFUSED
    return None


def _by_status(text: str) -> tuple[int, str]:
    found = _STATUS.findall(text)
    status = found[-1] if found else None
    if status == OUTSIDE:
        return errno.ENOENT, "the object ends early"
    if status in REFUSED:  # of a listing obstore says no more
        return _REFUSED
    if status in THROTTLED:
        return errno.EBUSY, f"the object storage throttles (HTTP {status})"
    if _TIMED_OUT.search(text):
        return errno.ETIMEDOUT, "the object storage did not answer in time"
    return errno.EIO, f"the object storage failed (HTTP {status})" if status else "no object storage answered"
