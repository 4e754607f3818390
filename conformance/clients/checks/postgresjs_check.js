// postgres.js: its types from the catalogs, values, pipelines, cursors, COPY streams, transactions, subscriptions to channels.
const postgres = require('postgres');
const { checks, versionOf } = require('./node_checks');
const check = checks('postgres.js', versionOf('postgres'));
const place = { host: process.env.PGHOST, port: +process.env.PGPORT, user: process.env.PGUSER, database: process.env.PGDATABASE, onnotice: () => {} };
const sql = postgres({ ...place, max: 4 });

(async () => {
  await check('values', async (tell) => {
    await sql`CREATE TABLE pj_all (k integer PRIMARY KEY, b bigint, n numeric(10,2), t text, f boolean, y bytea, d date, at timestamptz, u uuid, j jsonb, list integer[], words text[], i interval)`;
    const row = { k: 1, b: '9007199254740993', n: '1.50', t: 'é', f: true, y: Buffer.from([1, 255]), d: new Date(Date.UTC(2024, 1, 29)), at: new Date(0),
      u: '12345678-1234-5678-1234-567812345678', j: { a: [1, null] }, list: [1, 2], words: ['a', 'q"'], i: '1 day 02:03:04' };
    await sql`INSERT INTO pj_all ${sql(row)}`;
    await sql`INSERT INTO pj_all ${sql([{ k: 2, t: null }, { k: 3, t: 'x' }], 'k', 't')}`;
    tell('rows', await sql`SELECT * FROM pj_all ORDER BY k`);
    tell('in', await sql`SELECT k FROM pj_all WHERE k IN ${sql([1, 3])} ORDER BY k`);
    tell('any', (await sql`SELECT count(*)::int AS n FROM pj_all WHERE k = ANY(${[1, 2, 9]})`)[0].n);
    tell('json', await sql`SELECT j -> 'a' AS a FROM pj_all WHERE j @> ${sql.json({ a: [1] })}`);
    tell('update', (await sql`UPDATE pj_all SET ${sql({ t: 'y' }, 't')} WHERE k = 3 RETURNING *`)[0].t);
  });
  await check('describe', async (tell) => {
    const d = await sql`SELECT k, t FROM pj_all WHERE k = ${1} AND t LIKE ${'x'}`.describe();
    tell('types', [d.types, d.columns.map((c) => [c.name, c.type])]);
  });
  await check('simple', async (tell) => { tell('results', await sql`SELECT 1 AS a; SELECT 'x' AS b`.simple()); });
  await check('cursor', async (tell) => {
    const sizes = [];
    for await (const rows of sql`SELECT i FROM generate_series(1, 100) i`.cursor(30)) sizes.push(rows.length);
    tell('sizes', sizes);
    let n = 0;
    await sql`SELECT i FROM generate_series(1, 1000) i`.forEach((r) => { n += r.i; });
    tell('sum', n);
  });
  await check('copy', async (tell) => {
    const { pipeline } = require('stream/promises');
    const { Readable } = require('stream');
    await sql`CREATE TABLE pj_copy (k integer PRIMARY KEY, t text)`;
    await pipeline(Readable.from(Array.from({ length: 200 }, (_, i) => `${i}\trow ${i}\n`)), await sql`COPY pj_copy FROM STDIN`.writable());
    let out = '';
    for await (const chunk of await sql`COPY (SELECT * FROM pj_copy WHERE k < 3 ORDER BY k) TO STDOUT`.readable()) out += chunk;
    tell('out', out);
    tell('count', (await sql`SELECT count(*)::int AS n FROM pj_copy`)[0].n);
    await sql`DROP TABLE pj_copy`;
  });
  await check('transactions', async (tell) => {
    await sql`CREATE TABLE pj_tx (k integer PRIMARY KEY)`;
    await sql.begin(async (t) => {
      await t`INSERT INTO pj_tx VALUES (1)`;
      await t.savepoint(async (s) => { await s`INSERT INTO pj_tx VALUES (1)`; }).catch((e) => tell('savepoint', [e.code, e.detail, e.constraint_name]));
    });
    await sql.begin('isolation level serializable read only', async (t) => { tell('mode', (await t`SHOW transaction_isolation`)[0]); });
    await sql.begin(async (t) => { await t`INSERT INTO pj_tx VALUES (2)`; throw new Error('no'); }).catch((e) => tell('error', e.message));
    tell('rows', await sql`SELECT * FROM pj_tx`);
    const piped = await sql.begin((t) => [t`SELECT 1 AS a`, t`SELECT 2 AS b`]);
    tell('piped', piped);
    await sql`DROP TABLE pj_tx`;
  });
  await check('listen', async (tell) => {
    let done;
    const got = new Promise((r) => { done = r; });
    const l = await sql.listen('pj', done);
    await sql.notify('pj', 'hello');
    tell('got', await got);
    await l.unlisten();
  });
  await check('cancel', async (tell) => {
    const q = sql`SELECT pg_sleep(30)`.execute();
    setTimeout(() => q.cancel(), 300);
    await q.catch((e) => tell('code', e.code));
  });
  await check('errors', async (tell) => {
    await sql`SELECT nope`.catch((e) => tell('column', [e.code, e.message, e.position, e.severity]));
    await sql`SELECT ${1}::int / 0`.catch((e) => tell('zero', [e.code, e.message]));
  });
  await check('types of users', async (tell) => {
    await sql`CREATE TYPE pj_mood AS ENUM ('sad', 'ok')`;
    await sql`CREATE TABLE pj_moods (k integer PRIMARY KEY, m pj_mood, list pj_mood[])`;
    const fresh = postgres({ ...place, max: 1 }); // reads the arrays' types when it connects
    await fresh`INSERT INTO pj_moods VALUES (1, 'ok', ${['sad', 'ok']})`;
    tell('rows', await fresh`SELECT * FROM pj_moods`);
    await fresh.end();
    await sql`DROP TABLE pj_moods`;
    await sql`DROP TYPE pj_mood`;
  });
  await check('drop', async () => { await sql`DROP TABLE pj_all`; });
  await sql.end();
})();
