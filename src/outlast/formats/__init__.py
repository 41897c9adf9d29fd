"""Bytes out of rows."""

FORMATS = {"csv": None, "jsonl": None}
