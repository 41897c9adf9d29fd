"""The command `outlast`, one file per verb or group of verbs.

Exit statuses: 0 done, 1 refused or wrong, 2 not understood (the command line, or which app is meant).
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

NEEDED = ("typer", "rich", "structlog", "prometheus_client", "uvicorn", "fastapi")


def main() -> None:
    """Run the command, and say in one line what stands in its way."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.stderr.write(f"outlast: the command needs {', '.join(missing)}: pip install 'outlast[service]'\n")
        sys.exit(2)
    from outlast.cli.root import run

    sys.exit(run())
