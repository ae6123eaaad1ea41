-- The events of an export, one row each: `tidings events export --format ndjson --out events.ndjson`.
-- For Parquet: CREATE VIEW events AS SELECT * FROM 'events.parquet';
CREATE VIEW events AS
SELECT DISTINCT ON (id) *
FROM read_json('events.ndjson', format = 'newline_delimited', columns = {
  id: 'VARCHAR', event: 'VARCHAR', time: 'TIMESTAMPTZ', application_code: 'VARCHAR', message_code: 'VARCHAR', message_id: 'BIGINT',
  campaign_id: 'BIGINT', platform: 'VARCHAR', hwid: 'VARCHAR', user_id: 'VARCHAR', payload: 'VARCHAR', details: 'JSON', attributes: 'JSON'
});
