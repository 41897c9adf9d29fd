"""A process's memory as the kernel counts it (proc(5)), in KiB."""

from __future__ import annotations

from pathlib import Path


def resident_kb(pid: int) -> int:
    """What is resident now."""
    return _status_kb(pid, "VmRSS")


def peak_kb(pid: int) -> int:
    """The most that was resident since the start, or since `forget_peak`."""
    return _status_kb(pid, "VmHWM")


def forget_peak(pid: int) -> None:
    """Let the peak begin anew from what is resident now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")


def _status_kb(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
