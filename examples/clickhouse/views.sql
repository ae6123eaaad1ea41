-- The funnel of each message of a channel: devices by stage.
CREATE TABLE funnel_states
(
  message_code String,
  channel LowCardinality(String),
  stage LowCardinality(String),
  devices AggregateFunction(uniqExact, String)
)
ENGINE = AggregatingMergeTree
ORDER BY (message_code, channel, stage);

CREATE MATERIALIZED VIEW funnel_writer TO funnel_states AS
SELECT
  message_code,
  splitByChar('_', event)[1] AS channel,
  splitByChar('_', event)[-1] AS stage,
  uniqExactState(hwid) AS devices
FROM events
GROUP BY message_code, channel, stage;

CREATE VIEW funnel AS
SELECT
  message_code,
  channel,
  uniqExactMergeIf(devices, stage = 'sent') AS sent,
  uniqExactMergeIf(devices, stage = 'delivered') AS delivered,
  uniqExactMergeIf(devices, stage = 'opened') AS opened,
  uniqExactMergeIf(devices, stage = 'clicked') AS clicked,
  uniqExactMergeIf(devices, stage = 'failed') AS failed
FROM funnel_states
GROUP BY message_code, channel
ORDER BY message_code, channel;

-- Opens of each message by hour, in UTC.
CREATE TABLE open_states
(
  message_code String,
  hour DateTime('UTC'),
  opens AggregateFunction(uniqExact, UUID)
)
ENGINE = AggregatingMergeTree
ORDER BY (message_code, hour);

CREATE MATERIALIZED VIEW open_writer TO open_states AS
SELECT message_code, toStartOfHour(time) AS hour, uniqExactState(id) AS opens
FROM events
WHERE event IN ('push_opened', 'email_opened', 'inbox_opened')
GROUP BY message_code, hour;

CREATE VIEW opens_by_hour AS
SELECT message_code, formatDateTime(hour, '%Y-%m-%dT%H:00:00Z') AS hour, uniqExactMerge(opens) AS opens
FROM open_states
GROUP BY message_code, hour
ORDER BY message_code, hour;

-- Devices that unsubscribed from e-mails, by day and category; the category is empty for all e-mails.
CREATE TABLE unsubscribe_states
(
  day Date,
  category String,
  devices AggregateFunction(uniqExact, String)
)
ENGINE = AggregatingMergeTree
ORDER BY (day, category);

CREATE MATERIALIZED VIEW unsubscribe_writer TO unsubscribe_states AS
SELECT toDate(time) AS day, JSONExtractString(details, 'category') AS category, uniqExactState(hwid) AS devices
FROM events
WHERE event = 'email_unsubscribed'
GROUP BY day, category;

CREATE VIEW unsubscribes AS
SELECT toString(day) AS day, category, uniqExactMerge(devices) AS devices
FROM unsubscribe_states
GROUP BY day, category
ORDER BY day, category;
