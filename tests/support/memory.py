"""How much memory this process has held."""

from pathlib import Path

STATUS, PEAK_RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Let the peak begin anew at what is held now (proc(5), clear_refs)."""
    PEAK_RESET.write_text("5")


def held_bytes() -> int:
    """What is held now."""
    return _field("VmRSS")


def peak_bytes() -> int:
    """The most that was held since `forget_peak`."""
    return _field("VmHWM")


def _field(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
