"""Nothing in the documents is left to the reader's trust: links lead somewhere, and code is run or says why not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import DOCUMENTS, ROOT, RUNNABLE, Block, blocks_of, the_block
from tests.docs.example import create_database, lay_out
from tests.support.shell import OUTLAST, clean_environment

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_LIMIT_SECONDS = 100

README_BLOCKS = ["make demo ", "# myapp/main.py", "# outlast.toml", "curl "]
"""What test_readme.py runs, by how it begins; what `make` is told there is what runs these tests."""

BLOCKS = [
    block
    for document in DOCUMENTS
    for block in blocks_of(document)
    if block.language in RUNNABLE and block.excuse is None and document != ROOT / "README.md"
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_what_is_there(document: Path) -> None:
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            headings = _HEADING.findall(target.read_text(encoding="utf-8"))
            assert anchor in map(anchor_of, headings), f"{link} leads to no heading"


def anchor_of(heading: str) -> str:
    """As GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_block_of_the_readme_has_its_test() -> None:
    blocks = [block for block in blocks_of(ROOT / "README.md") if block.language in RUNNABLE]
    assert len(blocks) == len(README_BLOCKS)
    for block, beginning in zip(blocks, README_BLOCKS, strict=True):
        assert block.text.startswith(beginning), block.name


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_a_block_runs_as_it_stands(block: Block, tmp_path: Path) -> None:
    """What can't be run has a comment just before it: `<!-- not run: … -->`."""
    environment = {
        **clean_environment(),
        "PATH": f"{OUTLAST.parent}:{clean_environment()['PATH']}",
        "PYTHONPATH": str(tmp_path),
        "APP_DATABASE_URL": f"sqlite:///{tmp_path / 'app.db'}",
    }
    command = prepared(block, tmp_path)
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=_LIMIT_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{block.name}\n{done.stdout}\n{done.stderr}"


def prepared(block: Block, directory: Path) -> list[str | Path]:
    """Lay out what the block needs, and give the command that runs it."""
    if block.language == "toml":
        create_database(directory / "app.db")
        (directory / "outlast.toml").write_text(block.text)
        return [OUTLAST, "check"]
    if block.language == "sh":
        create_database(directory / "app.db")
        (directory / "outlast.toml").write_text(the_block("README.md", "toml", "# outlast.toml").text)
        return ["bash", "-euc", f"outlast db upgrade\n{block.text}"]
    lay_out(directory)
    (directory / "test_block.py").write_text(block.text)
    is_test = block.text.startswith("# test_")
    return [sys.executable, *(["-m", "pytest", "-q", "-p", "no:cacheprovider"] if is_test else []), "test_block.py"]
