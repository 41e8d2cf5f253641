"""Logs of events: in an SQLite file or a PostgreSQL table, with the same hashes in both."""

from ohmline.store.events.event import Draft as Draft
from ohmline.store.events.event import Event as Event
from ohmline.store.events.log import EventLog as EventLog
from ohmline.store.events.opening import open_log as open_log
from ohmline.store.events.postgres_log import PostgresLog as PostgresLog
from ohmline.store.events.sqlite_log import SqliteLog as SqliteLog
