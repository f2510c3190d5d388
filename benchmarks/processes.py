"""What a running process has used so far, as Linux tells it; None where there is no /proc."""

import os
from pathlib import Path

MB = 1024 * 1024


def cpu_seconds(pid: int) -> float | None:
    """User and system time, in steps of about 10 ms."""
    if (stat := _proc(pid, "stat")) is None:
        return None
    # The second field is the program's name in parentheses and may hold anything; 14 and 15 are the times.
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int | None:
    """Memory that the process holds now."""
    statm = _proc(pid, "statm")
    return int(statm.split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm else None


def _proc(pid: int, name: str) -> str | None:
    file = Path("/proc") / str(pid) / name
    return file.read_text() if file.exists() else None
