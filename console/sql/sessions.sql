-- Who is connected, and what they do: those that run a statement first, the longest before the others.
SELECT server, pid, usename AS "user", application_name AS application, host(client_addr) AS client,
       state, wait_event_type AS waits_for, wait_event AS event,
       extract(epoch FROM clock_timestamp() - CASE WHEN state = 'active' THEN query_start ELSE state_change END) AS seconds,
       extract(epoch FROM clock_timestamp() - xact_start) AS transaction_seconds,
       left(query, 400) AS query
FROM saltsql.sessions
ORDER BY state = 'active' DESC NULLS LAST, query_start
