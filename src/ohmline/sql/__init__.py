"""Databases: the columns of a query in, a table in one transaction out.

Any connection of Python's database interface (DB-API 2: sqlite3, psycopg, DuckDB, ...) or of ADBC will do. Names of
tables and columns are quoted, and values never become part of a statement.
"""

from ohmline.sql.connection import told as told
from ohmline.sql.names import kind_of as kind_of
from ohmline.sql.names import quoted as quoted
from ohmline.sql.reading import fetch as fetch
from ohmline.sql.writing import IfExists as IfExists
from ohmline.sql.writing import write_table as write_table
