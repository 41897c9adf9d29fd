"""What a request's head says, where no server is needed to say it."""

import pytest
from starlette.requests import Request

from outlast.web.incoming import base_of, preferred_wait


@pytest.mark.parametrize(
    ("root", "path", "parts", "base"),
    [
        ("", "/exports", 0, "/exports"),
        ("", "/exports/1/result", 2, "/exports"),
        ("/api", "/exports", 0, "/api/exports"),  # a proxy took the prefix away
        ("/api", "/api/exports", 0, "/api/exports"),  # a server or a mount put it back
        ("/api/", "/exports/1", 1, "/api/exports"),
        ("/api", "/apiary/exports", 0, "/api/apiary/exports"),
        ("", "/teams/a b/é/exports/1", 1, "/teams/a%20b/%C3%A9/exports"),
    ],
)
def test_the_collections_path_as_the_caller_sees_it(root: str, path: str, parts: int, base: str) -> None:
    request = Request({"type": "http", "root_path": root, "path": path, "headers": []})
    assert base_of(request, parts) == base


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([], None),
        (["wait=5"], 5),
        (["respond-async, WAIT = 10"], 10),
        (["return=minimal; wait=7"], 7),
        (["return=minimal", "wait=8"], 8),
        (['wait="9"'], 9),
        (["wait"], None),
        (["wait=x"], None),
        (["wait=-1"], None),
        (["wait=1.5"], None),
        (["await=5"], None),
        (["wait=9999999999"], None),
    ],
)
def test_a_preferred_wait(headers: list[str], seconds: int | None) -> None:
    raw = [(b"prefer", header.encode()) for header in headers]
    assert preferred_wait(Request({"type": "http", "headers": raw})) == seconds
