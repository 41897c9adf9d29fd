"""Places for results' bytes: one interface, one file for each place.

base.py       what a storage is           results.py       all places behind one interface, and which takes a result
key.py        the form of a key           opening.py       the storage that the settings ask for
database.py   in the jobs' database       directory.py     in a directory
objects.py    in an object storage        object_store.py  the way to it; object_errors.py: what it answers
"""
