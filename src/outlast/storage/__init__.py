"""Places for results' bytes: one interface, one file for each place.

base.py       what a storage is           results.py    the two places of one host: small results, large results
database.py   in the jobs' database       directory.py  in a directory
"""
