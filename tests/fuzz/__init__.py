"""A fuzzer of the public doors: bad arguments, damaged snapshots, damaged files.

`python -m fuzz --seconds 60 --seed 0`, with `tests` on the path, attacks in processes of its own with limits of time
and memory, and reports every distinct finding once: an error that is not one of ours, a crash, a hang, or a learner
that a refused call has changed.
"""
