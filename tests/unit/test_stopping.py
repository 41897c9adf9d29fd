"""What a stopping service says to those who come too late."""

import asyncio
import os
import signal

import httpx
from starlette.responses import PlainTextResponse

from outlast.web.stopping import RefuseWhenStopping, Stopping


def test_after_sigterm_new_requests_are_refused_and_health_is_told() -> None:
    async def run() -> None:
        stopping, told = Stopping(), list[bool]()
        stopping.tell(lambda: told.append(True))
        app = RefuseWhenStopping(PlainTextResponse("served"), stopping, frozenset({"/readyz"}))
        heard: list[int] = []
        before = signal.signal(signal.SIGTERM, lambda number, _frame: heard.append(number))
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
                with stopping.at_signals():
                    assert (await client.get("/exports")).text == "served"
                    os.kill(os.getpid(), signal.SIGTERM)
                    await asyncio.sleep(0)
                refused = await client.get("/exports")
                assert (refused.status_code, refused.json()["type"]) == (503, "urn:outlast:problem:stopping")
                assert refused.headers["retry-after"] == "1"
                assert (await client.get("/readyz")).text == "served"
        finally:
            signal.signal(signal.SIGTERM, before)
        assert heard == [signal.SIGTERM]  # the server's own handler, too
        assert told == [True]

    asyncio.run(run())
