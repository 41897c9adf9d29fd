"""The service of its own on the exports of `exports_app`, as `outlast api` serves it."""

from outlast.web.app import create_app
from tests.web.exports_app import exports

app = create_app(exports, metrics=lambda: b"outlast_tests 1\n")
