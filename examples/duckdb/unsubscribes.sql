-- Devices that unsubscribed from e-mails, by day and category; the category is empty for all e-mails.
SELECT
  strftime(time AT TIME ZONE 'UTC', '%Y-%m-%d') AS day,
  coalesce(details ->> '$.category', '') AS category,
  count(DISTINCT hwid) AS devices
FROM events
WHERE event = 'email_unsubscribed'
GROUP BY ALL
ORDER BY ALL;
