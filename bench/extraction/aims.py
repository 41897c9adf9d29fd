"""What was promised of each figure, by name."""

from __future__ import annotations

from bench.figures import Report

AT_LEAST = {
    "csv_postgresql": 0.95,
    "csv_postgresql_join": 0.95,
    "csv_postgresql_sorted": 0.95,
    "csv_sqlite_strict_walk": 1.2,
    "csv_sqlite_guarded_walk": 0.9,
    "csv_sqlite_select": 0.9,
    "csv_sqlite_sorted": 0.9,
    "jsonl_sqlite_strict": 1.3,
    "parquet_sqlite": 0.6,
    "parquet_postgresql": 0.45,
    "xlsx_vs_xlsxwriter": 4.0,
    "gzip_vs_zlib1": 3.0,
    "gzip_ratio_vs_zlib1": 1.0,
    "general_vs_csv_writer": 2.0,
}
AT_MOST = {
    "files_that_differ": 0.0,
    "guard_hash_count_cost": 0.1,
    "memory_mb_csv": 30.0,
    "memory_mb_csv_postgresql": 30.0,
    "memory_mb_jsonl": 30.0,
    "memory_mb_parquet": 100.0,
    "memory_mb_xlsx": 100.0,
}


def hold(report: Report) -> None:
    """Hold every figure that was measured against its aim."""
    for name in report.figures:
        if name in AT_LEAST:
            report.at_least(name, AT_LEAST[name])
        elif name in AT_MOST:
            report.at_most(name, AT_MOST[name])
