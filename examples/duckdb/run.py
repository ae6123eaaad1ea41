"""Runs the queries of this folder on the events.ndjson of the current folder, and prints their rows as JSON.

    .venv/bin/python run.py
"""
import json
import pathlib

import duckdb

folder = pathlib.Path(__file__).parent
database = duckdb.connect()
database.execute((folder / "events.sql").read_text())


def rows(name):
    result = database.execute((folder / f"{name}.sql").read_text())
    columns = [column[0] for column in result.description]
    return [dict(zip(columns, row)) for row in result.fetchall()]


print(json.dumps({name: rows(name) for name in ("funnel", "opens_by_hour", "unsubscribes")}))
