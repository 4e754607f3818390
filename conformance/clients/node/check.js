// Checks that the pg driver of Node.js works as with PostgreSQL.
const assert = require('node:assert');
const { Client, Pool } = require('pg');

async function main() {
  const c = new Client();
  await c.connect();
  await c.query('CREATE TABLE js1 (k INT, s VARCHAR, f DOUBLE PRECISION, j JSONB, t TIMESTAMPTZ, PRIMARY KEY (k)) SALT_BUCKETS = 4');
  const when = new Date('2024-02-29T12:00:00.001Z');
  await c.query('INSERT INTO js1 VALUES ($1, $2, $3, $4, $5)', [1, 'é', 0.1, { a: [1, null] }, when]);
  const { rows } = await c.query({ name: 'one', text: 'SELECT * FROM js1 WHERE k = $1', values: [1] });
  assert.deepStrictEqual(rows, [{ k: 1, s: 'é', f: 0.1, j: { a: [1, null] }, t: when }]);
  await assert.rejects(c.query('INSERT INTO js1 (k) VALUES (1)'), (e) => e.code === '23505' && e.constraint === 'js1_pkey');
  await c.query('BEGIN');
  await c.query('INSERT INTO js1 (k) VALUES (2)');
  await c.query('ROLLBACK');
  const n = await c.query('SELECT count(*) AS n FROM js1');
  assert.strictEqual(n.rows[0].n, '1');
  const pool = new Pool({ max: 4 });
  await Promise.all([...Array(50).keys()].map((i) => pool.query('UPSERT INTO js1 (k, s) VALUES ($1, $2)', [i, `s${i}`])));
  const all = await pool.query('SELECT count(*)::int AS n FROM js1');
  assert.strictEqual(all.rows[0].n, 50);
  await pool.end();
  await c.query('DROP TABLE js1');
  await c.end();
  console.log('pg', require('pg/package.json').version);
}

main().catch((e) => { console.error(e); process.exit(1); });
