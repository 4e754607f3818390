CREATE TABLE metrics (
  host VARCHAR, ts TIMESTAMP, cpu DOUBLE PRECISION, mem DOUBLE PRECISION,
  CONSTRAINT pk PRIMARY KEY (host, ts DESC)
) SALT_BUCKETS = 8;
UPSERT INTO metrics VALUES ('web-1', '2024-01-01 00:00:00', 0.5, 10), ('web-1', '2024-01-01 00:01:00', 0.75, NULL), ('web-2', '2024-01-01 00:00:00', 1, 20);
SELECT * FROM metrics ORDER BY host, ts DESC;
\pset null '(null)'
SELECT ts, mem FROM metrics WHERE host = 'web-1' ORDER BY host, ts DESC LIMIT 10;
EXPLAIN SELECT ts, cpu FROM metrics WHERE host = 'web-1' ORDER BY host, ts DESC LIMIT 10;
SELECT hosst FROM metrics;
INSERT INTO metrics VALUES ('web-1', '2024-01-01', 1, 1);
BEGIN;
INSERT INTO metrics VALUES ('web-3', '2024-01-01', 1, 1);
SELECT count(*) FROM metrics;
ROLLBACK;
SELECT count(*) FROM metrics;
\copy metrics (host, ts, cpu) TO STDOUT WITH (FORMAT csv, HEADER)
COPY metrics FROM STDIN;
web-4	2024-01-01 00:00:00	1.5	\N
\.
SELECT host, sum(cpu) FROM metrics GROUP BY host ORDER BY host;
PREPARE p (text) AS SELECT count(*) FROM metrics WHERE host = $1;
EXECUTE p('web-1');
SELECT 1 AS a \gdesc
DELETE FROM metrics WHERE host = 'web-2' RETURNING host, ts;
DROP TABLE metrics;
