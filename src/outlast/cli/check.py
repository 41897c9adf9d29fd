"""`outlast check`: tries every definition, and says in which state the database is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from outlast.cli.finding import App, find
from outlast.cli.output import Json, print_json, print_text
from outlast.errors import OutlastError

if TYPE_CHECKING:
    from outlast.bootstrap import Exports


def check(app: App = None, as_json: Json = False) -> None:
    """Try every export's definition with sample parameters; exit status 1 if one is wrong."""
    from outlast.declare.check import check as findings_of

    exports = find(app).exports
    findings = findings_of(exports)
    wrong = [finding for finding in findings if finding.wrong]
    database = _database_state(exports)
    if as_json:
        print_json({"exports": exports.names, "findings": findings, "database": database, "ok": not wrong})
    else:
        for finding in findings:
            print_text(f"{'wrong' if finding.wrong else 'note'}: export {finding.export!r}: {finding.message}")
        for problem in database:
            print_text(f"note: database: {problem}")
        names = dict.fromkeys(finding.export for finding in wrong)
        print_text(f"Declared: {', '.join(exports.names)}. Wrong: {', '.join(names) or 'none'}.")
    exports.close()
    if wrong:
        raise typer.Exit(1)


def _database_state(exports: Exports) -> list[str]:
    """What stands between the database and its use; for information, since a check may run before any deployment."""
    from outlast.database import migrate

    if not exports.database.file_sizes()["database"]:
        return ["it does not exist yet: `outlast db upgrade` makes it"]
    try:
        return migrate.problems(exports.database)
    except OutlastError as error:
        return [str(error)]
