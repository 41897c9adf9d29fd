"""How fast files are written, beside the databases' own tools and what people write instead.

__main__.py    arguments and sections      aims.py        what was promised
tables.py      tables and statements       rows.py        seeded rows into each database
attempts.py    whole attempts of a worker  programs.py    the others' programs, timed alike
contest.py     turns, medians, ratios      readback.py    every value read back
sqlite.py, postgresql.py, formats.py, costs.py, memory.py: the sections
"""
