-- The events of subscriptions, one row each once parts are merged; queries and views count ids, so repeats do not matter.
CREATE TABLE events
(
  id UUID,
  event LowCardinality(String),
  time DateTime('UTC'),
  application_code LowCardinality(String),
  message_code String,
  message_id UInt64,
  campaign_id Nullable(UInt64),
  platform LowCardinality(String),
  hwid String,
  user_id String,
  payload Nullable(String),
  details String,
  attributes String
)
ENGINE = ReplacingMergeTree
ORDER BY (application_code, message_code, event, id)
TTL time + INTERVAL 2 YEAR;
