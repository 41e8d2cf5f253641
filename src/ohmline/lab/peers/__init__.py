"""The same work by Ohmline and by the systems that a user would pick instead, in one run.

Every system gets the same graphs, draws of labels, orders and query budgets, in a process of its own that works on
one thread. `contract` says what a system is, one file for each library adapts it, `tasks` is the work, `worker` the
process, `run` goes through all cells and keeps what it found, `tables` and `picture` show it.
"""
