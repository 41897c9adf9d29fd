"""Power loss, replayed from what real processes wrote and synced.

A disk may keep any part of what was written since the last sync, and promises only what was synced. So: record the
system calls of real processes (strace), pick a moment, keep what was synced by then and a seeded part of the rest,
and look whether everything acknowledged by that moment is there.

    trace = Trace(root=data, logs=tmp_path / "logs")
    with running(trace.command([sys.executable, "writer.py"]), tmp_path) as writer:
        writer.wait(seconds=10)
    operations = trace.operations()
    for image in images(operations, tmp_path, seed=7, count=100):
        ...  # open image.directory; all of image.acknowledged must be there, else fail with image.description

Not modelled: a sync that failed makes nothing durable, and a later one vouches for the same data again (Linux may have
dropped it); sync_file_range promises nothing. What can't be replayed exactly raises TraceError.
"""

from tests.support.powerloss.disk import EVERYTHING_SURVIVES, NOTHING_SURVIVES, Disk, Loss, Rule, Survival
from tests.support.powerloss.images import Image, images, verify_replay
from tests.support.powerloss.operations import Operation, TraceError
from tests.support.powerloss.trace import Trace

__all__ = [
    "EVERYTHING_SURVIVES",
    "NOTHING_SURVIVES",
    "Disk",
    "Image",
    "Loss",
    "Operation",
    "Rule",
    "Survival",
    "Trace",
    "TraceError",
    "images",
    "verify_replay",
]
