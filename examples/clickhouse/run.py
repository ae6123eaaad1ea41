"""Makes the table and the views of this folder in chDB, fills them with the events.ndjson of the current folder, as kafka.sql does from a
topic, and prints their rows as JSON.

    .venv/bin/python run.py
"""
import json
import pathlib

from chdb import session

folder = pathlib.Path(__file__).parent
database = session.Session()
for name in ("events", "views"):
    database.query((folder / f"{name}.sql").read_text())
database.query("""
    INSERT INTO events
    SELECT * REPLACE (parseDateTimeBestEffort(time, 'UTC') AS time)
    FROM file('events.ndjson', 'JSONEachRow',
      'id UUID, event String, time String, application_code String, message_code String, message_id UInt64, campaign_id Nullable(UInt64), platform String, hwid String, user_id String, payload Nullable(String), details String, attributes String')
    SETTINGS input_format_json_read_objects_as_strings = 1
""")


def rows(name):
    text = str(database.query(f"SELECT * FROM {name}", "JSONEachRow"))
    return [{column: int(value) if str(value).isdigit() else value for column, value in json.loads(line).items()} for line in text.splitlines()]


print(json.dumps({name: rows(name) for name in ("funnel", "opens_by_hour", "unsubscribes")}))
