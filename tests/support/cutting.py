"""A proxy through which a connection is lost in the middle of an answer."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PIECE_BYTES = 65_536


class CuttingProxy:
    """Passes bytes on, and cuts each connection off once it has passed `cut_bytes` of an answer; None: never."""

    def __init__(self, target: str, cut_bytes: int | None) -> None:
        """Listen, on a port of its own; `target` is an http URL."""
        host, _, port = target.removeprefix("http://").partition(":")
        self.cut_bytes = cut_bytes
        self.connections = 0
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server:
            threading.Thread(target=_pass_on, args=(client, server, None), daemon=True).start()
            _pass_on(server, client, self.cut_bytes)
            for end in (client, server):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def _pass_on(source: socket.socket, destination: socket.socket, left: int | None) -> None:
    with contextlib.suppress(OSError):
        while left != 0 and (piece := source.recv(PIECE_BYTES if left is None else min(PIECE_BYTES, left))):
            destination.sendall(piece)
            left = None if left is None else left - len(piece)


@contextmanager
def cutting_proxy(target: str, cut_bytes: int | None) -> Iterator[CuttingProxy]:
    """Run one until the block ends."""
    proxy = CuttingProxy(target, cut_bytes)
    try:
        yield proxy
    finally:
        proxy.close()
