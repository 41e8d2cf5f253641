"""A fuzzer of the public doors: bad arguments, damaged snapshots, damaged files.

`python -m fuzz --seconds 60 --seed 0`, with `tests` on the path, attacks in processes of its own with limits of time
and memory, and reports every distinct finding once: an error that is not one of ours, a crash, a hang, or a learner
that a refused call has changed. First come all single attacks, in an order that the seed draws; what time is left goes
to two bad arguments or two damaged arrays at once, and to files damaged in other ways.
"""
