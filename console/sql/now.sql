-- What there is at this moment.
SELECT current_user AS "user", current_setting('server_version') AS version,
       (SELECT count(*) FROM saltsql.sessions) AS sessions,
       (SELECT count(*) FROM saltsql.sessions WHERE state = 'active') AS active,
       (SELECT count(*) FROM saltsql.sessions WHERE wait_event_type = 'Lock') AS waiting,
       (SELECT count(*) FROM saltsql.jobs) AS jobs,
       (SELECT count(*) FROM saltsql.tables) AS tables,
       (SELECT count(*) FROM saltsql.tables WHERE salt_buckets > 0) AS salted
