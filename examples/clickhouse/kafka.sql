-- Reads the topic of a subscription: `tidings subscriptions create kafka://shop-events --format json --event …`.
-- With KAFKA_NAMESPACE the topic has that text before its name.
CREATE TABLE events_queue
(
  id UUID,
  event String,
  time String,
  application_code String,
  message_code String,
  message_id UInt64,
  campaign_id Nullable(UInt64),
  platform String,
  hwid String,
  user_id String,
  payload Nullable(String),
  details String,
  attributes String
)
ENGINE = Kafka
SETTINGS
  kafka_broker_list = 'kafka:9092',
  kafka_topic_list = 'shop-events',
  kafka_group_name = 'clickhouse',
  kafka_format = 'JSONEachRow',
  kafka_num_consumers = 4,
  input_format_json_read_objects_as_strings = 1,
  input_format_skip_unknown_fields = 1;

CREATE MATERIALIZED VIEW events_reader TO events AS
SELECT * REPLACE (parseDateTimeBestEffort(time, 'UTC') AS time)
FROM events_queue;
