"""What parent and child say to each other over their socket: frames of a kind, a length and a payload.

parent → child  SPEC (JSON of an ExportSpec)
child → parent  READY, then for each SPEC: DATA (bytes of the file) and PROGRESS in turn, at last END or ERROR (JSON)
"""

from __future__ import annotations

import json
import socket
import struct
from enum import IntEnum
from typing import Any

from outlast.model import EstimateSource, Progress

DATA_LIMIT_BYTES = 256 * 1024
_FRAME_LIMIT_BYTES = 1024 * 1024
_RECEIVE_BYTES = DATA_LIMIT_BYTES + 64
_HEADER = struct.Struct("!BI")
_PROGRESS = struct.Struct("!qqB")
_NO_ESTIMATE = -1
_SOURCES: tuple[EstimateSource | None, ...] = (None, "counted", "planner")
"""By the byte that stands for each; only added to at the end."""


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


def send(connection: socket.socket, kind: Kind, payload: bytes | memoryview = b"") -> None:
    """Send one frame. Raises OSError when nobody listens any more."""
    connection.sendall(_HEADER.pack(kind, len(payload)) + payload)


def send_json(connection: socket.socket, kind: Kind, members: dict[str, Any]) -> None:
    """Send one frame of JSON."""
    send(connection, kind, json.dumps(members).encode())


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
        self._buffer = bytearray()

    def receive(self, wait_seconds: float | None) -> tuple[Kind, bytes] | None:
        """The next frame; None when none is whole after waiting so long for a further piece of it.

        Raises EOFError when the other end is closed, BrokenFrameError for anything that isn't a frame.
        """
        while (frame := self._whole()) is None:
            self._connection.settimeout(wait_seconds)
            try:
                piece = self._connection.recv(_RECEIVE_BYTES)
            except (TimeoutError, BlockingIOError):
                return None
            except ConnectionError:
                piece = b""
            if not piece:
                raise EOFError
            self._buffer += piece
        return frame

    def _whole(self) -> tuple[Kind, bytes] | None:
        if len(self._buffer) < _HEADER.size:
            return None
        kind, length = _HEADER.unpack_from(self._buffer)
        end = _HEADER.size + length
        if kind not in _KINDS or length > _FRAME_LIMIT_BYTES:
            raise BrokenFrameError
        if len(self._buffer) < end:
            return None
        payload = bytes(memoryview(self._buffer)[_HEADER.size : end])
        del self._buffer[:end]
        return Kind(kind), payload
