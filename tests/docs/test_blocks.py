"""Nothing in the documents is left to the reader's trust: links lead somewhere, and code is run or says why not."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree

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


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
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


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the README's app without code, its database ready."""
    directory = tmp_path_factory.mktemp("host")
    create_database(directory / "app.db")
    (directory / "outlast.toml").write_text(the_block("README.md", "toml", "# outlast.toml").text)
    run(directory, OUTLAST, "db", "upgrade")
    return directory


@pytest.mark.parametrize("block", [one for one in BLOCKS if one.language != "python"], ids=lambda block: block.name)
def test_commands_and_configurations_do_as_they_stand(block: Block, host: Path, tmp_path: Path) -> None:
    """What can't be run has a comment just before it: `<!-- not run: … -->`."""
    directory = copytree(host, tmp_path / "host")
    if block.language == "toml":
        (directory / "outlast.toml").write_text(block.text)
        run(directory, OUTLAST, "check")
    else:
        run(directory, "bash", "-euc", block.text)


@pytest.mark.parametrize("document", sorted({one.path for one in BLOCKS if one.language == "python"}), ids=name_of)
def test_python_runs_as_it_stands(document: Path, tmp_path: Path) -> None:
    """A block that begins as `# test_…` is a file of tests, another one a script, both beside the README's app."""
    lay_out(tmp_path)
    tests: list[str] = []
    for number, block in enumerate(one for one in BLOCKS if one.language == "python" and one.path == document):
        is_test = block.text.startswith("# test_")
        path = tmp_path / f"{'test' if is_test else 'script'}_{number}.py"
        path.write_text(f"{block.text}\n# {block.name}\n")
        if is_test:
            tests.append(path.name)
        else:
            run(tmp_path, sys.executable, path.name)
    if tests:
        run(tmp_path, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)


def run(directory: Path, *command: str | Path) -> None:
    environment = {
        **clean_environment(),
        "PATH": f"{OUTLAST.parent}:{clean_environment()['PATH']}",
        "PYTHONPATH": str(directory),
        "APP_DATABASE_URL": f"sqlite:///{directory / 'app.db'}",
    }
    done = subprocess.run(
        command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=_LIMIT_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
