"""Every command of operators, as it is installed: what people see, what scripts get, and every refusal."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from outlast import FailureCode, Principal, Status
from outlast.database import audit, tokens
from outlast.database.jobs import get
from tests.support.desk import CLOCK, Desk, desk_at
from tests.support.shell import OUTLAST, Shell, clean_environment

SHOP = '''
from outlast import Exports, Owner

exports = Exports(database_url="sqlite:///jobs.db", attempt_limit=3)
elsewhere = {"not": "exports"}


@exports.export("tasks", columns=["id", "note"])
def tasks(owner: Owner, note: str = ""):
    """The tasks of the person who asks."""
    yield {"id": 1, "note": note}
'''
TOML = """
database_url = "sqlite:///jobs.db"
[sources.app]
url = "sqlite:///app.db"
[exports.tasks]
source = "app"
owner_type = "integer"
columns = ["id", "title"]
sql = "SELECT id, title FROM tasks WHERE owner_id = :owner"
"""
SECRET = "a-very-secret-value"


@pytest.fixture
def empty(tmp_path: Path) -> Shell:
    """A directory with an app, and no database yet."""
    (tmp_path / "shop.py").write_text(SHOP)
    return Shell(tmp_path, {"OUTLAST_APP": "shop:exports"})


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
def shell(desk: Desk, empty: Shell) -> Shell:
    """The commands on the desk's database, at its time."""
    return Shell(desk.path.parent, {**empty.environment, "OUTLAST_CLOCK_EXPRESSION": CLOCK})


def test_an_app_is_found_by_option_by_environment_and_by_its_file(tmp_path: Path, empty: Shell) -> None:
    nothing = Shell(tmp_path)
    assert nothing.refusal("check", status=2).startswith("no app: say --app module:attribute, set OUTLAST_APP")
    assert nothing.json("check", "--app", "shop:exports")["exports"] == ["tasks"]
    assert empty.json("check")["ok"]
    with closing(sqlite3.connect(tmp_path / "app.db")) as connection:
        connection.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY, owner_id INTEGER, title TEXT)")
    (tmp_path / "outlast.toml").write_text(TOML)
    assert nothing.json("check")["ok"]


@pytest.mark.parametrize(
    ("app", "message"),
    [
        ("shop", "--app 'shop' is not of the form module:attribute"),
        ("shelf:exports", "there is no module 'shelf' here or among the installed ones"),
        ("shop:imports", "shop has no attribute 'imports'"),
        ("shop:elsewhere", "shop:elsewhere is not an Exports instance but a dict"),
        ("broken:exports", "importing broken raised ZeroDivisionError: division by zero"),
    ],
)
def test_an_app_that_is_not_there_is_named_in_one_line(empty: Shell, app: str, message: str) -> None:
    (empty.directory / "broken.py").write_text("1 / 0\n")
    assert empty.refusal("jobs", "list", "--app", app, status=2).startswith(message)


def test_a_wrong_definition_fails_at_once_and_is_named(empty: Shell) -> None:
    (empty.directory / "shop.py").write_text(SHOP.replace("owner: Owner, ", ""))
    assert empty.refusal("worker").startswith("export 'tasks' has no owner")


def test_check_names_what_is_wrong_and_says_so_by_its_status(empty: Shell) -> None:
    broken = SHOP.replace('    yield {"id": 1, "note": note}', "    return 42")
    (empty.directory / "shop.py").write_text(broken)
    found = empty.json("check", status=1)
    assert not found["ok"]
    assert [(one["export"], one["wrong"]) for one in found["findings"]] == [("tasks", True)]
    assert "export 'tasks': it returns a int" in empty.run("check", status=1).stdout


def test_the_database_is_made_once_and_checked(empty: Shell) -> None:
    assert empty.refusal("jobs", "list").startswith("there is no database yet at sqlite:///jobs.db: run `outlast db up")
    assert not (empty.directory / "jobs.db").exists()
    assert "run `outlast db upgrade`" in empty.run("db", "check", status=1).stdout
    for _ in range(2):
        assert empty.json("db", "upgrade") == {"database_url": "sqlite:///jobs.db", "problems": []}
    with closing(sqlite3.connect(empty.directory / "jobs.db")) as connection:
        connection.execute("DROP TRIGGER export_jobs_transition")
    assert empty.json("db", "check", status=1)["problems"] == ["trigger export_jobs_transition"]


def test_a_token_is_shown_once_and_works_until_it_is_revoked(desk: Desk, shell: Shell) -> None:
    token = shell.text("tokens", "create", "--owner", "7", "--expires-in", "90d").strip()
    desk.pass_seconds(1)
    made = shell.json("tokens", "create", "--owner", "8", "--tenant", "acme", "--label", "ci")
    with desk.exports.database.read() as connection:
        assert tokens.principal_of(connection, tokens.digest(token)) == Principal("7")
        assert tokens.principal_of(connection, tokens.digest(made["token"])) == Principal("8", "acme")
    listed = shell.text("tokens", "list")
    assert token not in listed
    for known in (made["id"], "2026-05-30", "acme", "ci"):
        assert known in listed
    assert "is revoked" in shell.text("tokens", "revoke", made["id"])
    with desk.exports.database.read() as connection:
        assert tokens.principal_of(connection, tokens.digest(made["token"])) is None
    desk.pass_seconds(90 * 86_400)
    with desk.exports.database.read() as connection:
        assert tokens.principal_of(connection, tokens.digest(token)) is None
    assert shell.refusal("tokens", "revoke", "unknown") == "There is no such token."
    assert "is not a duration" in shell.refusal("tokens", "create", "--owner", "7", "--expires-in", "soon", status=2)
    assert token.encode() not in desk.path.read_bytes() + desk.path.with_name("jobs.db-wal").read_bytes()


def test_jobs_are_listed_shown_and_explained_without_values_or_tokens(desk: Desk, shell: Shell) -> None:
    first = desk.accept("first", note=SECRET)
    second = desk.accept("second", owner="8")
    attempt = desk.claim()
    listed, shown = shell.json("jobs", "list"), shell.json("jobs", "show", first.id)
    told = shell.json("explain", first.id)
    running, text = shell.text("jobs", "list", "--status", "running"), shell.text("jobs", "show", first.id)
    for output in (running, text, str(listed), str(shown), str(told)):
        assert attempt.job.id in output
        assert SECRET not in output
        assert attempt.lease.token not in output
    assert second.id not in running
    assert [job["id"] for job in listed["jobs"]] == [second.id, first.id]
    assert (shown["idempotency_key"], shown["parameter_names"], shown["result"]) == ("first", ["note"], None)


def test_explain_takes_a_job_or_a_key_with_its_owner(desk: Desk, shell: Shell) -> None:
    job = desk.accept("the-key")
    desk.claim()
    told = shell.json("explain", "the-key", "--owner", "7")
    assert told["job"]["id"] == job.id
    assert told["summary"] == "attempt 1 is running"
    assert [fact["kind"] for fact in told["facts"]] == ["accepted", "claimed"]
    assert told["expected"][0]["at"] == "2026-03-01T12:00:30.000Z"
    text = shell.text("jobs", "explain", job.id)
    for heading in ("What happened", "What happens next", "Certain", "Unknown", "What you may do"):
        assert heading in text
    assert shell.refusal("explain", "the-key", "--owner", "8") == "This owner used no such idempotency key."
    assert "operations are not kept in this version" in shell.refusal("explain", "op-17")
    assert shell.refusal("explain", "x", "--tenant", "acme", status=2) == "--tenant goes with --owner"


def test_cancel_wants_a_reason_and_a_yes_and_is_written_down(desk: Desk, shell: Shell) -> None:
    job = desk.accept()
    assert "say why with --reason" in shell.refusal("jobs", "cancel", job.id, "--yes", status=2)
    assert "repeat it with --yes" in shell.refusal("jobs", "cancel", job.id, "--reason", "asked for", status=2)
    assert _status(desk, job.id) is Status.QUEUED
    done = shell.json("jobs", "cancel", job.id, "--reason", "asked for", "--yes")
    assert done["status"] == "cancelled"
    with desk.exports.database.read() as connection:
        [act] = audit.of_job(connection, job.id)
    assert (act.action, act.reason) == ("cancel", "asked for")
    assert "@" in act.actor
    refusal = shell.refusal("jobs", "cancel", job.id, "--reason", "again", "--yes", "--json")
    assert refusal == "It is cancelled already."


def test_requeue_shows_what_it_will_do_and_is_harmless_when_repeated(desk: Desk, shell: Shell) -> None:
    desk.accept()
    failed = desk.fail(desk.claim(), FailureCode.RESULT_TOO_LARGE)
    command = ("jobs", "requeue", failed.id, "--reason", "the limit was raised", "--yes")
    text = shell.text(*command, "--attempts", "2", "--deadline-seconds", "3600", "--expected-attempts", "1")
    assert "To be requeued, for 2 further attempts within 1:00:00" in text
    assert failed.id in text
    assert _status(desk, failed.id) is Status.QUEUED
    assert "only a failed one can be requeued" in shell.refusal(*command, "--json")
    desk.fail(desk.claim(), FailureCode.RESULT_TOO_LARGE)
    assert "has had 2 attempts, not 1" in shell.refusal(*command, "--json", "--expected-attempts", "1")
    assert _status(desk, failed.id) is Status.FAILED
    told = shell.json("explain", failed.id)
    assert [fact["kind"] for fact in told["facts"]].count("requeue") == 1


@pytest.mark.parametrize(("answers", "status"), [("asked by phone\ny\n", 0), ("asked by phone\nn\n", 1)])
def test_at_a_terminal_reason_and_consent_are_asked_for(desk: Desk, shell: Shell, answers: str, status: int) -> None:
    job = desk.accept()
    terminal, end = os.openpty()
    try:
        os.write(terminal, answers.encode())
        done = subprocess.run(
            [OUTLAST, "jobs", "cancel", job.id], cwd=shell.directory, stdin=end, capture_output=True, text=True,
            env={**clean_environment(), **shell.environment}, timeout=60, check=False,
        )  # fmt: skip
    finally:
        os.close(terminal)
        os.close(end)
    assert done.returncode == status, done.stderr
    assert "Why?" in done.stderr
    assert job.id in done.stdout
    assert _status(desk, job.id) is (Status.QUEUED if status else Status.CANCELLED)


def test_queue_gives_every_figure_of_health(desk: Desk, shell: Shell) -> None:
    desk.see_worker()
    desk.accept("a")
    desk.complete(desk.claim(), count=5_000)
    desk.accept("b")
    desk.pass_seconds(5)
    found = shell.json("queue")
    assert found["total"] == {"available": 1, "scheduled": 0, "running": 0, "oldest_available_seconds": 5.0}
    assert found["gauges"]["live_result_bytes"] == 5_000
    assert found["gauges"]["database_bytes"] + found["gauges"]["wal_bytes"] > 0
    assert found["limits"]["pending_limit"] == 10_000
    assert found["windows"]["5m"]["completed"] == 1
    assert [worker["id"] for worker in found["workers"]] == ["worker-1"]
    assert (found["fenced_writes"], found["unserved"]) == (0, [])
    text = shell.text("queue")
    for word in ("tasks", "oldest waits", "lost attempts", "worker-1", "Results hold 5.0 kB", "refused from 10,000"):
        assert word in text


def test_sweep_ends_what_is_past_saving_and_says_how_much(desk: Desk, shell: Shell) -> None:
    job = desk.accept()
    desk.pass_seconds(86_401)
    assert shell.json("sweep")["exhausted"] == 1
    assert _status(desk, job.id) is Status.FAILED
    assert "exhausted: 0" in shell.text("sweep")


def test_a_locked_database_is_one_line_in_bounded_time(desk: Desk, shell: Shell) -> None:
    job = desk.accept()
    impatient = Shell(shell.directory, {**shell.environment, "OUTLAST_ACCEPT_WAIT_SECONDS": "0.5"})
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        refusal = impatient.refusal("jobs", "cancel", job.id, "--reason", "asked for", "--yes", "--json")
        assert refusal.startswith("The database can't be used right now")
        assert shell.json("jobs", "list")["jobs"][0]["status"] == "queued"
        holder.execute("ROLLBACK")


def test_what_cannot_be_understood_ends_with_status_2(empty: Shell) -> None:
    for arguments in (("jobs", "list", "--status", "sleeping"), ("jobs", "list", "--limit", "0"), ("nonsense",)):
        assert "Usage:" in empty.run(*arguments, status=2).stderr
    assert empty.text("--version").strip()


def test_without_the_service_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.path.insert(0, sys.argv.pop()); from outlast.cli import main; main()"
    source = Path(__file__).parents[2] / "src"
    done = subprocess.run(  # -S: nothing but the standard library
        [sys.executable, "-S", "-c", code, source], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("outlast: the command needs typer, ")
    assert done.stderr.endswith("pip install 'outlast[service]'\n")


def _status(desk: Desk, job_id: str) -> Status:
    with desk.exports.database.read() as connection:
        seen = get(connection, job_id)
    assert seen is not None
    return seen.job.status
