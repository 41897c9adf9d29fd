"""Programs outside Python that a test needs."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest


def require_tool(name: str) -> Path:
    """The program's path. Without it the test fails under CI=true and is skipped, with the reason, elsewhere.

    The environment may name another path: `STRACE=/opt/strace` for strace.
    """
    found = os.environ.get(name.upper().replace("-", "_")) or shutil.which(name)
    if not found:
        unavailable(f"{name} is not installed (scripts/system-tools says how to get it)")
    return Path(found)


def unavailable(reason: str) -> NoReturn:
    """Fail the test under CI=true, and skip it elsewhere."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
