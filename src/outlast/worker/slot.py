"""One attempt at a time: a thread with its warm child, which is replaced after any trouble."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from outlast.errors import FailureCode, LeaseLostError
from outlast.extract import classify
from outlast.model import Attempt, Failure
from outlast.storage.base import Staging
from outlast.telemetry.events import LoopFailed
from outlast.worker.attempt import Production, permitted
from outlast.worker.handle import Child, ChildFailedError
from outlast.worker.lease import HeldLease, Renewer
from outlast.worker.parts import Parts
from outlast.worker.settlement import Settlement

START_PAUSE_SECONDS = 0.5
START_PAUSE_LIMIT_SECONDS = 15.0

_log = logging.getLogger("outlast")


class Slot:
    """Takes an attempt when it is `free`, which it is once its child is warm."""

    def __init__(
        self, parts: Parts, app: str, renewer: Renewer, settlement: Settlement, on_free: Callable[[], None]
    ) -> None:
        """Start the thread, and in it the child."""
        self._parts = parts
        self._app = app
        self._renewer = renewer
        self._settlement = settlement
        self._on_free = on_free
        self._work: SimpleQueue[tuple[Attempt, float] | None] = SimpleQueue()
        self._closing = threading.Event()
        self._guard = threading.Lock()
        self._taken = False
        self._releasing = False
        self._child: Child | None = None
        self._successor: Child | None = None
        self._held: HeldLease | None = None
        self.free = False
        self.warm = False
        self.released = 0
        # Its children live as long as this thread does (see Child).
        self._thread = threading.Thread(target=self._run, name="outlast-slot", daemon=True)
        self._thread.start()

    def take(self, attempt: Attempt, claimed_at: float) -> None:
        """Run an attempt that was claimed at this monotonic time or later; only when free."""
        self.free, self._taken = False, True
        self._work.put((attempt, claimed_at))

    def close(self) -> None:
        """Take nothing more, and end once the current attempt has ended."""
        self._closing.set()
        self._work.put(None)
        if not self._taken:  # a child that is still importing the app need not finish that
            self._stop_child()

    def release(self) -> None:
        """Stop the current attempt and give its job back, unless it is being settled already."""
        self._releasing = True
        if self._held is not None:
            self._held.stopping = True
            self._stop_child()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for the end. Says whether it came."""
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause = START_PAUSE_SECONDS
        while not self._closing.is_set():
            try:
                self._warm()
            except ChildFailedError as error:
                if self._closing.is_set():
                    break
                self.warm = False
                _log.warning("no child process: %s", error)
                self._parts.hooks.emit(LoopFailed("child", type(error).__name__))
                self._closing.wait(pause)
                pause = min(pause * 2, START_PAUSE_LIMIT_SECONDS)
                continue
            pause = START_PAUSE_SECONDS
            self.warm = True
            self.free = True
            self._on_free()
            work = self._work.get()
            if work is not None:
                self._attempt(*work)
                self._taken = False
        self._close_children()

    def _warm(self) -> Child:
        """Have a child that is ready for an attempt. Raises ChildFailedError when that is impossible now."""
        if self._child is not None and self._child.alive:
            return self._child
        self._close_children()
        try:
            self._child = Child(self._app, self._parts.settings)
            self._child.await_ready()
        except OSError as error:
            raise ChildFailedError(f"no process can be started: {error.strerror}") from error
        except ChildFailedError:
            self._replace()
            raise
        return self._child

    def _succeed(self) -> None:
        """Replace a child that has run its number of attempts, which goes on until its successor is warm."""
        try:
            if self._successor is None:
                self._successor = Child(self._app, self._parts.settings)
            elif self._successor.is_ready(0.0):
                self._replace()
                self._child, self._successor = self._successor, None
        except (OSError, ChildFailedError):
            self._replace()  # and whatever is wrong shows when a new one is wanted

    def _replace(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _close_children(self) -> None:
        self._replace()
        successor, self._successor = self._successor, None
        if successor is not None:
            successor.close()

    def _attempt(self, attempt: Attempt, claimed_at: float) -> None:
        began_at = time.monotonic()
        held = self._renewer.hold(attempt, claimed_at, lambda: self._stop_working_for(held))
        self._held = held
        held.stopping = self._releasing
        try:
            self._process(held, began_at)
        except Exception as error:  # noqa: BLE001 - a defect of ours: the lease runs out, and the job is reclaimed
            _log.error("an attempt was abandoned: %s", classify(error).detail)
            self._parts.hooks.emit(LoopFailed("slot", type(error).__name__))
            self._replace()
        finally:
            with self._guard:
                self._held = None
            self._renewer.drop(held)

    def _stop_working_for(self, held: HeldLease) -> None:
        with self._guard:  # so that no later attempt loses its child for this one
            if self._held is held:
                self._stop_child()

    def _stop_child(self) -> None:
        child = self._child
        if child is not None:
            child.kill()

    def _process(self, held: HeldLease, began_at: float) -> None:
        staging = None
        try:
            definition = permitted(self._parts, held.attempt.job)
            child = self._warm()
            staging = self._parts.storage.stage(held.attempt)
            staged = Production(self._parts, definition, held, child).run(staging)
        except Exception as error:  # noqa: BLE001 - whatever it was becomes the attempt's failure
            self._give_up(held, staging, error, began_at)
            return
        if not self._settlement.complete(held, staged, began_at):
            self._settlement.fail(held, Failure(FailureCode.INTERNAL_ERROR, "the completion was refused"), began_at)
        if child.attempt_count >= self._parts.settings.child_attempt_limit:
            self._succeed()

    def _give_up(self, held: HeldLease, staging: Staging | None, error: Exception, began_at: float) -> None:
        if staging is not None:
            self._replace()  # first, so that nobody works for a job that was given back
            staging.abort()  # before the settlement, which may need the room
        if held.lost:
            pass  # the renewer has told
        elif isinstance(error, LeaseLostError):
            self._settlement.fenced(held, "stage")
        elif isinstance(error, ChildFailedError) and held.stopping:
            self.released += self._settlement.release(held, began_at)
        elif isinstance(error, ChildFailedError):
            self._settlement.fail(held, Failure(FailureCode.WORKER_LOST, str(error)), began_at)
        else:
            self._settlement.fail(held, classify(error), began_at)
