"""Every statement as compiled SQL, by database and module, as it is committed under `golden/` for review."""

import importlib
import pkgutil
from collections import defaultdict
from pathlib import Path
from textwrap import TextWrapper

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlalchemy.sql.elements import ClauseElement

import outlast.database
from outlast.database.dialect import trigger_ddl
from outlast.database.schema import metadata
from outlast.database.statement import STATEMENTS, compile_for
from outlast.database.triggers import triggers

GOLDEN = Path(__file__).parent / "golden"
DIALECTS: dict[str, Dialect] = {
    "sqlite": sqlite.dialect(paramstyle="named"),
    "postgresql": postgresql.dialect(paramstyle="named"),  # type: ignore[no-untyped-call]
}
WIDTH = 120
OURS = "p_"
"""The prefix of our parameters' names; what is written without it is fixed in the statement."""


def all_statements() -> dict[str, ClauseElement]:
    """Every named statement, once all modules that may define one are loaded."""
    for module in pkgutil.iter_modules(outlast.database.__path__, "outlast.database."):
        if not module.ispkg:
            importlib.import_module(module.name)
    return dict(sorted(STATEMENTS.items()))


def texts() -> dict[Path, str]:
    """What stands in every file below `golden/`."""
    return {
        Path(name) / file: text
        for name, dialect in DIALECTS.items()
        for file, text in (_statements(dialect) | {"schema.sql": _schema(dialect)}).items()
    }


def _statements(dialect: Dialect) -> dict[str, str]:
    by_module: dict[str, list[str]] = defaultdict(list)
    for name, clause in all_statements().items():
        by_module[name.partition(".")[0]].append(_statement(name, clause, dialect))
    return {f"{module}.sql": "\n".join(statements) for module, statements in by_module.items()}


def _statement(name: str, clause: ClauseElement, dialect: Dialect) -> str:
    compiled = compile_for(clause, dialect)
    fixed = [f"--   :{key} is {value!r}" for key, value in compiled.params.items() if not key.startswith(OURS)]
    return "\n".join([f"-- {name}", *fixed, _wrapped(str(compiled))]).replace(f":{OURS}", ":") + ";\n"


def _schema(dialect: Dialect) -> str:
    made = []
    for table in metadata.sorted_tables:
        made.append(str(compile_for(CreateTable(table), dialect)))
        indexes = sorted(table.indexes, key=lambda index: str(index.name))
        made += [str(compile_for(CreateIndex(index), dialect)) for index in indexes]
    made += [trigger_ddl(trigger, dialect) for trigger in triggers()]
    return "".join(_wrapped(text.strip()) + ";\n\n" for text in made)


def _wrapped(sql: str) -> str:
    fill = TextWrapper(WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return "\n".join("\n".join(fill.wrap(line)) for line in sql.splitlines())
