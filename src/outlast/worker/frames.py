"""What parent and child say to each other over their socket: frames of a kind, a length and a payload.

parent → child  SPEC (JSON of an ExportSpec)
child → parent  READY, then for each SPEC: DATA (bytes of the file) and PROGRESS in turn, at last END or ERROR (JSON)
"""

from __future__ import annotations

import json
import socket
import struct
from enum import IntEnum
from typing import Any, TypeAlias

from outlast.model import EstimateSource, Progress

DATA_LIMIT_BYTES = 256 * 1024
_FRAME_LIMIT_BYTES = 1024 * 1024
_HEADER = struct.Struct("!BI")
_PROGRESS = struct.Struct("!qqB")
_NO_ESTIMATE = -1
_SOURCES: tuple[EstimateSource | None, ...] = (None, "counted", "planner")
"""By the byte that stands for each; only added to at the end."""


Payload: TypeAlias = bytes | bytearray | memoryview


class Kind(IntEnum):
    """What a frame carries."""

    READY = 1
    SPEC = 2
    DATA = 3
    PROGRESS = 4
    END = 5
    ERROR = 6


_KINDS = frozenset(kind.value for kind in Kind)


class BrokenFrameError(Exception):
    """What came is no frame."""


def send(connection: socket.socket, *frames: tuple[Kind, Payload]) -> None:
    """Send frames, together if the socket takes them so. Raises OSError when nobody listens any more."""
    pieces = [piece for kind, payload in frames for piece in (_HEADER.pack(kind, len(payload)), payload)]
    sent = connection.sendmsg(pieces)
    for piece in pieces:
        if sent < len(piece):
            connection.sendall(memoryview(piece)[sent:])
        sent = max(0, sent - len(piece))


def send_json(connection: socket.socket, kind: Kind, members: dict[str, Any]) -> None:
    """Send one frame of JSON."""
    send(connection, (kind, json.dumps(members).encode()))


def pack_progress(progress: Progress) -> bytes:
    """A PROGRESS frame's payload; the parent counts the bytes itself."""
    estimated_rows = _NO_ESTIMATE if progress.estimated_rows is None else progress.estimated_rows
    return _PROGRESS.pack(progress.rows, estimated_rows, _SOURCES.index(progress.estimate_source))


def unpack_progress(payload: bytes, byte_count: int) -> Progress:
    """A PROGRESS frame's payload as a record."""
    rows, estimated_rows, source = _PROGRESS.unpack(payload)
    return Progress(rows, byte_count, None if estimated_rows == _NO_ESTIMATE else estimated_rows, _SOURCES[source])


class FrameReader:
    """Frames out of a stream, in bounded memory."""

    def __init__(self, connection: socket.socket) -> None:
        """Read from this end."""
        self._connection = connection
        self._kind: Kind | None = None
        self._missing_bytes = _HEADER.size
        self._pieces: list[bytes] = []

    def receive(self, wait_seconds: float | None) -> tuple[Kind, bytes] | None:
        """The next frame; None when none is whole after waiting so long for a further piece of it.

        Raises EOFError when the other end is closed, BrokenFrameError for anything that isn't a frame.
        """
        while (frame := self._whole()) is None:
            if self._connection.gettimeout() != wait_seconds:
                self._connection.settimeout(wait_seconds)
            try:
                piece = self._connection.recv(self._missing_bytes)
            except (TimeoutError, BlockingIOError):
                return None
            except ConnectionError:
                piece = b""
            if not piece:
                raise EOFError
            self._pieces.append(piece)
            self._missing_bytes -= len(piece)
        return frame

    def _whole(self) -> tuple[Kind, bytes] | None:
        if self._missing_bytes:
            return None
        if self._kind is None:
            self._kind, self._missing_bytes = _read_header(self._taken())
            return self._whole()
        kind, self._kind, self._missing_bytes = self._kind, None, _HEADER.size
        return kind, self._taken()

    def _taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)  # large ones mostly come whole, and aren't copied


def _read_header(header: bytes) -> tuple[Kind, int]:
    kind, length = _HEADER.unpack(header)
    if kind not in _KINDS or length > _FRAME_LIMIT_BYTES:
        raise BrokenFrameError
    return Kind(kind), length
