ATTACH TABLE points (host text, ts timestamp, cf.value text, cf.n bigint, cf.j jsonb, cf.proto bytea) KEY FORMAT ('m#', SALT fnv1a(host) % 16 DECIMAL WIDTH 2, '#', host, '#', MAX - ts) FROM 'points';
SHOW CREATE TABLE points;
