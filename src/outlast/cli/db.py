"""`outlast db`: the schema's version."""

from __future__ import annotations

import typer

from outlast.cli.finding import App, find
from outlast.cli.output import Json, print_json, print_text

app = typer.Typer(help="The database's schema.", no_args_is_help=True)


@app.command()
def upgrade(app: App = None, as_json: Json = False) -> None:
    """Create the database, or bring it to the newest schema; running it again changes nothing."""
    from outlast.database import migrate

    exports = find(app).exports
    migrate.upgrade(exports.database)
    where = exports.database.url.render_as_string(hide_password=True)
    exports.close()
    if as_json:
        print_json({"database_url": where, "problems": []})
    else:
        print_text(f"{where} is at the newest schema")


@app.command("check")
def check_schema(app: App = None, as_json: Json = False) -> None:
    """Say what the schema lacks; exit status 1 if it lacks anything."""
    from outlast.database import migrate

    exports = find(app).exports
    where = exports.database.url.render_as_string(hide_password=True)
    there = bool(exports.database.file_sizes()["database"])
    problems = migrate.problems(exports.database) if there else ["there is no database yet: run `outlast db upgrade`"]
    exports.close()
    if as_json:
        print_json({"database_url": where, "problems": problems})
    else:
        print_text(f"{where}: {'; '.join(problems) or 'at the newest schema'}")
    if problems:
        raise typer.Exit(1)
