"""Whatever pieces the bytes come in, the frames are the same; what is no frame is noticed."""

import socket
from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.model import EstimateSource, Progress
from outlast.worker.frames import BrokenFrameError, FrameReader, Kind, pack_progress, send, unpack_progress

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def sent(frames: list[tuple[Kind, bytes]]) -> bytes:
    ours, theirs = socket.socketpair()
    with theirs:
        with ours:
            for kind, payload in frames:
                send(ours, (kind, payload))
        return b"".join(iter(lambda: theirs.recv(65536), b""))


@given(st.lists(st.tuples(st.sampled_from(Kind), st.binary(max_size=2000)), max_size=8), st.data())
def test_frames_survive_any_cut(frames: list[tuple[Kind, bytes]], data: st.DataObject) -> None:
    stream = sent(frames)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        reader, received = FrameReader(theirs), []
        while stream:
            count = data.draw(st.integers(1, len(stream)))
            ours.sendall(stream[:count])
            stream = stream[count:]
            while frame := reader.receive(0.0):
                received.append(frame)
        assert received == frames


def test_nothing_comes_without_waiting_for_ever(pair: Pair) -> None:
    assert FrameReader(pair[1]).receive(0.01) is None


def test_a_closed_end_is_the_end_even_within_a_frame(pair: Pair) -> None:
    reader = FrameReader(pair[1])
    send(pair[0], (Kind.DATA, b"whole"))
    pair[0].sendall(sent([(Kind.DATA, b"cut off")])[:-1])
    pair[0].close()
    assert reader.receive(1.0) == (Kind.DATA, b"whole")
    with pytest.raises(EOFError):
        reader.receive(1.0)


@pytest.mark.parametrize("noise", [b"Traceback (most recent call last)", b"\0\0\0\0\0", b"\3\xff\xff\xff\xff"])
def test_what_is_no_frame_is_noticed(pair: Pair, noise: bytes) -> None:
    pair[0].sendall(noise)
    with pytest.raises(BrokenFrameError):
        FrameReader(pair[1]).receive(1.0)


@given(
    st.integers(0, 2**62),
    st.none() | st.integers(0, 2**62),
    st.sampled_from([None, *get_args(EstimateSource)]),
    st.integers(0, 2**62),
)
def test_progress_is_carried_exactly(
    rows: int, estimated_rows: int | None, source: EstimateSource | None, count: int
) -> None:
    carried = unpack_progress(pack_progress(Progress(rows, 0, estimated_rows, source)), count)
    assert carried == Progress(rows, count, estimated_rows, source)
