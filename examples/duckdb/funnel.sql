-- The funnel of each message of a channel: devices by stage.
SELECT
  message_code,
  split_part(event, '_', 1) AS channel,
  count(DISTINCT hwid) FILTER (event LIKE '%\_sent' ESCAPE '\') AS sent,
  count(DISTINCT hwid) FILTER (event LIKE '%\_delivered' ESCAPE '\') AS delivered,
  count(DISTINCT hwid) FILTER (event LIKE '%\_opened' ESCAPE '\') AS opened,
  count(DISTINCT hwid) FILTER (event LIKE '%\_clicked' ESCAPE '\') AS clicked,
  count(DISTINCT hwid) FILTER (event LIKE '%\_failed' ESCAPE '\') AS failed
FROM events
GROUP BY ALL
ORDER BY ALL;
