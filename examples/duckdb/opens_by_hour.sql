-- Opens of each message by hour, in UTC.
SELECT
  message_code,
  strftime(date_trunc('hour', time AT TIME ZONE 'UTC'), '%Y-%m-%dT%H:00:00Z') AS hour,
  count(*) AS opens
FROM events
WHERE event IN ('push_opened', 'email_opened', 'inbox_opened')
GROUP BY ALL
ORDER BY ALL;
