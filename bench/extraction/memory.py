"""What an attempt needs beyond its warm child's own, for few rows and for many."""

from __future__ import annotations

from bench.extraction.stage import Stage

FORMATS = ("csv", "jsonl", "csv.gz", "parquet", "xlsx")
SHARE = 10


def measure(stage: Stage) -> None:
    """Each format in a child of its own: what an earlier attempt has left would hide what this one needs."""
    counts = (stage.rows // SHARE, stage.rows)
    lines = []
    for export, format_, name in (
        *(("strict_first", format_, f"memory_mb_{format_.replace('.', '_')}") for format_ in FORMATS),
        ("postgresql_first", "csv", "memory_mb_csv_postgresql"),
        ("postgresql_first", "parquet", "memory_mb_parquet_postgresql"),
    ):
        if stage.has(format_):
            peaks = [_peak_mb(stage, export, format_, count) for count in counts]
            stage.report.note(name, peaks[-1])
            lines.append((f"{export.partition('_')[0]}, {format_}", *peaks))
    header = ("", *(f"{count:,} rows, MB" for count in counts))
    stage.report.table("Peak memory of an attempt above its warm child's own", header, lines)


def _peak_mb(stage: Stage, export: str, format_: str, count: int) -> float:
    with stage.worker((export, format_), postgresql=export.startswith("postgresql")) as works:
        return works.run(export, format_, rows=count).peak_mb
