"""The public functions: accept, get, list, cancel, erase, regenerate, open_result, manifest, definitions.

service.py     `Service`, which has them        request.py       what a caller asks for
acceptance.py  from a request to its job        fingerprints.py  whether two requests ask for the same
results.py     whether a result can be had      identifiers.py   new ids
download.py    its bytes, on their way          history.py       pages of the history
manifest.py    what a result is                 pace.py          when to ask again
document.py    the job as its owner sees it
"""

from outlast.service.acceptance import Acceptance, Ask, Context
from outlast.service.document import job_document, links, timestamp
from outlast.service.download import Download, ResultGoneError
from outlast.service.history import CURSOR_PATTERN, PAGE_DEFAULT, PAGE_LIMIT
from outlast.service.identifiers import request_id
from outlast.service.manifest import Manifest, manifest_document
from outlast.service.request import SHOWN_LIMIT, Wanted, read_wanted
from outlast.service.service import Page, Service

__all__ = [
    "CURSOR_PATTERN",
    "PAGE_DEFAULT",
    "PAGE_LIMIT",
    "SHOWN_LIMIT",
    "Acceptance",
    "Ask",
    "Context",
    "Download",
    "Manifest",
    "Page",
    "ResultGoneError",
    "Service",
    "Wanted",
    "job_document",
    "links",
    "manifest_document",
    "read_wanted",
    "request_id",
    "timestamp",
]
