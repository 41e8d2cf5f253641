"""Columns into a table of a database, in one transaction; `Graph.from_sql` and `labels_from_sql` read from one."""

from ohmline.sql import IfExists as IfExists
from ohmline.sql import write_table as write_table
