"""The worker: claims jobs and runs each attempt in a child process.

loop.py         claims, drains, stops          slot.py          one attempt at a time, with a warm child
attempt.py      one attempt, parent's side     child.py         the child process
settlement.py   how an attempt ends            rendering.py     rows become the file's bytes, in the child
lease.py        renews what is held            handle.py        the parent's handle on a child
parts.py        what a worker needs            frames.py        what the two say to each other
upkeep.py       signs of life, keeping house   housekeeping.py  exhausts, sweeps, expires, purges
patience.py     when to take over from others  wake.py          what the loop sleeps on
"""
