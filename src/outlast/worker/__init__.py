"""The worker: claims jobs and runs each attempt in a child process.

loop.py         claims, drains, stops          slot.py          one attempt at a time, with a warm child
attempt.py      one attempt, parent's side     child.py         the child process
settlement.py   how an attempt ends            handle.py        the parent's handle on a child
lease.py        renews what is held            frames.py        what the two say to each other
upkeep.py       signs of life, keeping house   housekeeping.py  exhausts, sweeps, expires, purges
patience.py     when others' leases are over   parts.py         what a worker needs of its app
"""
