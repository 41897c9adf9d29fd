"""Writes every statement's compiled SQL to `golden/`: `python -m tests.sql.write`, after a statement has changed."""

import shutil

from tests.sql.compiled import GOLDEN, texts

if __name__ == "__main__":
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for path, text in texts().items():
        (GOLDEN / path).parent.mkdir(parents=True, exist_ok=True)
        (GOLDEN / path).write_text(text)
