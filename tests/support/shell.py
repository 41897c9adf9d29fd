"""The real command `outlast`, run in a directory as a person or a script would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OUTLAST = Path(sys.executable).with_name("outlast")
LIMIT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Shell:
    """Where commands run, and what their environment says beyond this process's own."""

    directory: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, status: int = 0, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        """Run it to its end, which must have this status. No command may ever show a traceback."""
        done = subprocess.run(
            [OUTLAST, *arguments], cwd=self.directory, env={**clean_environment(), **self.environment},
            input=stdin.decode(), capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False,
        )  # fmt: skip
        report = f"{arguments} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == status, report
        assert "Traceback" not in done.stderr, report
        return done

    def text(self, *arguments: str) -> str:
        """What people see."""
        return self.run(*arguments).stdout

    def json(self, *arguments: str, status: int = 0, stdin: bytes = b"") -> Any:  # noqa: ANN401 - any document
        """What scripts see: one JSON document and nothing else."""
        return json.loads(self.run(*arguments, "--json", status=status, stdin=stdin).stdout)

    def refusal(self, *arguments: str, status: int = 1) -> str:
        """The one line by which a command says why it won't."""
        [line] = self.run(*arguments, status=status).stderr.splitlines()
        assert line.startswith("outlast: ")
        return line.removeprefix("outlast: ")


def clean_environment() -> dict[str, str]:
    """This process's environment without any of our settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OUTLAST_")}
