// node-postgres: values of types, prepared statements, cursors, streams, errors, notifications, pools.
const { Client, Pool } = require('pg');
const Cursor = require('pg-cursor');
const QueryStream = require('pg-query-stream');
const { checks, versionOf } = require('./node_checks');
const check = checks('node pg', versionOf('pg'));

const TYPES = [
  ['smallint', [0, -32768]], ['integer', [0, 2147483647]], ['bigint', ['9223372036854775807', 5]], ['real', [1.5]], ['double precision', [0.1, 1e300, Infinity]],
  ['numeric', ['12345678901234567890.0001', 1]], ['numeric(10,2)', ['1.50', 7]], ['text', ['', 'é 漢 \\ \' "']], ['varchar(5)', ['abcde']], ['char(5)', ['ab']],
  ['bytea', [Buffer.from([0, 255, 92])]], ['boolean', [true, false]], ['date', ['2024-02-29']], ['time', ['23:59:59.999999']], ['timestamp', ['2024-02-29 12:00:00.123']],
  ['timestamptz', [new Date(Date.UTC(2024, 1, 29))]], ['interval', ['3 days 04:05:06.5', '-1 mon']], ['uuid', ['12345678-1234-5678-1234-567812345678']],
  ['json', [{ a: [1, null] }]], ['jsonb', [{ b: 1, a: 'x' }]], ['integer[]', [[1, null, 3], []]], ['text[]', [['a', '', 'q"', null]]], ['timestamptz[]', [[new Date(0)]]],
];

(async () => {
  const db = new Client();
  await db.connect();
  await db.query("SET timezone = 'UTC'");
  for (const [i, [type, values]] of TYPES.entries()) {
    await check(type, async (tell) => {
      await db.query(`CREATE TABLE np_type${i} (k integer PRIMARY KEY, v ${type})`);
      for (const [k, v] of [...values, null].entries()) await db.query(`INSERT INTO np_type${i} VALUES ($1, $2)`, [k, type.startsWith('json') && v ? JSON.stringify(v) : v]);
      const r = await db.query(`SELECT v FROM np_type${i} ORDER BY k`);
      tell('values', r.rows.map((x) => x.v));
      tell('field', r.fields.map((f) => [f.name, f.dataTypeID, f.dataTypeSize, f.dataTypeModifier, f.columnID > 0, f.format]));
      const b = await db.query({ text: `SELECT v FROM np_type${i} ORDER BY k`, binary: true }).catch(() => null);
      tell('binary', b && b.rows.length);
      await db.query(`DROP TABLE np_type${i}`);
    });
  }
  await check('prepared', async (tell) => {
    const out = [];
    for (let i = 0; i < 4; i++) out.push((await db.query({ name: 'add', text: 'SELECT $1::int + 1 AS n', values: [i] })).rows[0].n);
    tell('sums', out);
    tell('array mode', (await db.query({ text: 'SELECT 1 AS a, 2 AS a', rowMode: 'array' })).rows);
    tell('several', (await db.query('SELECT 1 AS a; SELECT 2 AS b')).map((r) => [r.command, r.rows]));
  });
  await check('cursor', async (tell) => {
    const c = db.query(new Cursor('SELECT i FROM generate_series(1, $1::int) i', [100]));
    tell('first', (await c.read(3)).map((r) => r.i));
    tell('then', (await c.read(50)).length);
    await c.close();
    tell('after', (await db.query('SELECT 1 AS a')).rows);
  });
  await check('stream', async (tell) => {
    let n = 0;
    for await (const row of db.query(new QueryStream('SELECT i FROM generate_series(1, 500) i', [], { batchSize: 37 }))) n += row.i;
    tell('sum', n);
  });
  await check('errors', async (tell) => {
    await db.query('CREATE TABLE np_err (k integer PRIMARY KEY, v integer NOT NULL, CONSTRAINT np_pos CHECK (v > 0))');
    await db.query('INSERT INTO np_err VALUES (1, 1)');
    for (const q of ['INSERT INTO np_err VALUES (1, 1)', 'INSERT INTO np_err VALUES (2, NULL)', 'INSERT INTO np_err VALUES (2, -1)', 'SELECT nope', 'SELECT 1/0', 'SELEC', "SELECT 'x'::int"]) {
      await db.query(q).catch((e) => tell(q, [e.code, e.severity, e.message, e.detail, e.position, e.table, e.column, e.constraint, e.schema, e.dataType]));
    }
    await db.query('DROP TABLE np_err');
  });
  await check('notices', async (tell) => {
    const seen = [];
    db.on('notice', (n) => seen.push([n.severity, n.code, n.message]));
    await db.query('DROP TABLE IF EXISTS np_nope');
    tell('seen', seen);
  });
  await check('notify', async (tell) => {
    const other = new Client();
    await other.connect();
    const got = new Promise((done) => other.on('notification', (m) => done([m.channel, m.payload])));
    await other.query('LISTEN np');
    await db.query("NOTIFY np, 'hi'");
    tell('got', await got);
    await other.end();
  });
  await check('transaction', async (tell) => {
    await db.query('CREATE TABLE np_tx (k integer PRIMARY KEY)');
    await db.query('BEGIN');
    await db.query('INSERT INTO np_tx VALUES (1)');
    await db.query('INSERT INTO np_tx VALUES (1)').catch((e) => tell('failed', e.code));
    await db.query('SELECT 1').catch((e) => tell('aborted', [e.code, e.message]));
    tell('commit', (await db.query('COMMIT')).command);
    tell('rows', (await db.query('SELECT * FROM np_tx')).rowCount);
    await db.query('DROP TABLE np_tx');
  });
  await check('pool', async (tell) => {
    const pool = new Pool({ max: 4, statement_timeout: 60000, application_name: 'np' });
    const sums = await Promise.all(Array.from({ length: 40 }, (_, i) => pool.query('SELECT $1::int AS i, current_setting(\'application_name\') AS a', [i])));
    tell('sum', [sums.reduce((a, r) => a + r.rows[0].i, 0), sums[0].rows[0].a]);
    await pool.end();
  });
  await check('timeout', async (tell) => {
    await db.query("SET statement_timeout = '200ms'");
    await db.query('SELECT pg_sleep(30)').catch((e) => tell('code', [e.code, e.message]));
    await db.query('RESET statement_timeout');
  });
  await db.end();
})();
