"""A worker whose events go to standard output, a JSON object a line; run as `python -m tests.support.run_worker`."""

import dataclasses
import json
import sys

from outlast.telemetry.events import Event
from outlast.worker.loop import Worker
from tests.support.exports_app import exports


def tell(event: Event) -> None:
    sys.stdout.write(json.dumps({"event": type(event).__name__, **dataclasses.asdict(event)}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    exports.hooks.add(tell)
    Worker(exports, app="tests.support.exports_app:exports").run()
    exports.close()
