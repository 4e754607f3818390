// Drizzle: a schema pushed by drizzle-kit's generator, the introspection of drizzle-kit, and queries.
const { drizzle } = require('drizzle-orm/node-postgres');
const { migrate } = require('drizzle-orm/node-postgres/migrator');
const d = require('drizzle-orm');
const p = require('drizzle-orm/pg-core');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Pool } = require('pg');
const { checks, versionOf } = require('./node_checks');
const check = checks('Drizzle', versionOf('drizzle-orm'));

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'drizzle-'));
const SCHEMA = `
const { pgTable, pgEnum, serial, integer, bigint, varchar, text, boolean, timestamp, numeric, jsonb, uuid, index, uniqueIndex, primaryKey, check } = require('drizzle-orm/pg-core');
const { sql, relations } = require('drizzle-orm');
const role = pgEnum('dz_role', ['admin', 'guest']);
const users = pgTable('dz_users', {
  id: serial('id').primaryKey(), email: varchar('email', { length: 60 }).notNull().unique(), role: role('role').default('guest'),
  prefs: jsonb('prefs').default({ a: 1 }), at: timestamp('at', { withTimezone: true }).defaultNow(), token: uuid('token'),
MORE}, (t) => [index('dz_by_role').on(t.role, t.email.desc()), check('dz_email', sql\`\${t.email} <> ''\`)]);
const posts = pgTable('dz_posts', {
  id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(), author: integer('author').references(() => users.id, { onDelete: 'cascade' }),
  title: text('title').notNull(), score: numeric('score', { precision: 8, scale: 2 }), open: boolean('open').default(true), tags: text('tags').array(),
}, (t) => [uniqueIndex('dz_title').on(t.title)]);
const marks = pgTable('dz_marks', { post: integer('post'), word: text('word') }, (t) => [primaryKey({ columns: [t.post, t.word] })]);
const usersOf = relations(users, ({ many }) => ({ posts: many(posts) }));
const postsOf = relations(posts, ({ one }) => ({ user: one(users, { fields: [posts.author], references: [users.id] }) }));
module.exports = { role, users, posts, marks, usersOf, postsOf };
`;
fs.symlinkSync(path.resolve(process.env.NODE_PATH || 'node_modules'), path.join(work, 'node_modules'));
const kit = (...args) => execFileSync(process.execPath, [path.join(work, 'node_modules/drizzle-kit/bin.cjs'), ...args], { cwd: work, stdio: 'pipe', encoding: 'utf8' });
const write = (more) => fs.writeFileSync(path.join(work, 'schema.js'), SCHEMA.replace('MORE', more));
fs.writeFileSync(path.join(work, 'drizzle.config.js'), `module.exports = { dialect: 'postgresql', schema: './schema.js', out: './out', tablesFilter: ['dz_*'],
  dbCredentials: { host: '${process.env.PGHOST}', port: ${process.env.PGPORT}, user: '${process.env.PGUSER}', database: '${process.env.PGDATABASE}', ssl: false } };`);
fs.writeFileSync(path.join(work, 'pull.config.js'), fs.readFileSync(path.join(work, 'drizzle.config.js'), 'utf8').replace('./out', './pulled'));

(async () => {
  const pool = new Pool({ max: 2 });
  write('');
  const s = require(path.join(work, 'schema.js'));
  const db = drizzle(pool, { schema: s });
  await check('generate', async () => { kit('generate'); });
  await check('migrate', async () => { await migrate(db, { migrationsFolder: path.join(work, 'out') }); });
  await check('migrate again', async (tell) => {
    await migrate(db, { migrationsFolder: path.join(work, 'out') });
    tell('applied', (await pool.query('SELECT count(*)::int AS n FROM drizzle.__drizzle_migrations')).rows);
  });
  await check('pull', async (tell) => {
    kit('pull', '--config=pull.config.js');
    const out = fs.readdirSync(path.join(work, 'pulled')).find((f) => f === 'schema.ts');
    tell('schema', fs.readFileSync(path.join(work, 'pulled', out), 'utf8').split('\n').filter((l) => !l.startsWith('import')).sort());
  });
  await check('insert', async (tell) => {
    tell('ids', await db.insert(s.users).values([1, 2, 3].map((i) => ({ email: `u${i}@x.org`, role: i === 1 ? 'admin' : undefined }))).returning({ id: s.users.id, prefs: s.users.prefs }));
    await db.insert(s.posts).values(Array.from({ length: 12 }, (_, i) => ({ author: 1 + i % 3, title: `post ${i}`, score: String(i / 4), tags: ['x', `t${i % 2}`] })));
    await db.insert(s.marks).values([{ post: 1, word: 'a' }, { post: 1, word: 'b' }]);
  });
  await check('query', async (tell) => {
    tell('relations', await db.query.users.findMany({ columns: { email: true }, with: { posts: { columns: { title: true, score: true }, orderBy: (t, { asc }) => asc(t.id), limit: 2 } }, orderBy: (t, { asc }) => asc(t.id) }));
    tell('nested', await db.query.posts.findFirst({ columns: { title: true }, with: { user: { columns: { role: true } } }, where: d.eq(s.posts.id, 4) }));
    tell('join', await db.select({ e: s.users.email, n: d.count(), s: d.sum(s.posts.score) }).from(s.users).leftJoin(s.posts, d.eq(s.posts.author, s.users.id)).groupBy(s.users.email).having(d.gt(d.count(), 1)).orderBy(s.users.email));
    tell('array', await db.select({ t: s.posts.title }).from(s.posts).where(d.arrayContains(s.posts.tags, ['t1'])).orderBy(s.posts.id));
    const top = db.$with('top').as(db.select().from(s.posts).orderBy(d.desc(s.posts.score)).limit(3));
    tell('with', await db.with(top).select({ title: top.title }).from(top).orderBy(top.title));
    tell('exists', await db.select({ e: s.users.email }).from(s.users).where(d.exists(db.select().from(s.posts).where(d.eq(s.posts.author, s.users.id)))).orderBy(s.users.id));
    tell('union', await p.union(db.select({ v: s.users.email }).from(s.users), db.select({ v: s.posts.title }).from(s.posts)).orderBy(d.sql`1`).limit(4));
    const q = db.select({ e: s.users.email }).from(s.users).where(d.eq(s.users.id, d.sql.placeholder('id'))).prepare('dz_one');
    tell('prepared', [await q.execute({ id: 1 }), await q.execute({ id: 2 })]);
  });
  await check('change', async (tell) => {
    tell('upsert', await db.insert(s.users).values({ email: 'u1@x.org' }).onConflictDoUpdate({ target: s.users.email, set: { role: 'guest' } }).returning({ id: s.users.id, role: s.users.role }));
    tell('ignore', (await db.insert(s.users).values({ email: 'u1@x.org' }).onConflictDoNothing()).rowCount);
    tell('update', await db.update(s.posts).set({ score: d.sql`${s.posts.score} + 1` }).where(d.lt(s.posts.score, '1')).returning({ score: s.posts.score }));
    tell('delete', (await db.delete(s.posts).where(d.gt(s.posts.id, 10))).rowCount);
    await db.transaction(async (tx) => {
      await tx.insert(s.users).values({ email: 'kept' });
      await tx.transaction(async (t) => { await t.insert(s.users).values({ email: 'lost' }); t.rollback(); }).catch(() => {});
      tell('locked', (await tx.select().from(s.users).where(d.eq(s.users.id, 1)).for('update')).length);
    }, { isolationLevel: 'repeatable read' });
    tell('there', await db.select({ e: s.users.email }).from(s.users).where(d.inArray(s.users.email, ['kept', 'lost'])));
  });
  await check('migrate on', async (tell) => {
    write("  nick: varchar('nick', { length: 20 }).default('none').notNull(),\n");
    kit('generate');
    await migrate(db, { migrationsFolder: path.join(work, 'out') });
    tell('nicks', (await pool.query('SELECT DISTINCT nick FROM dz_users')).rows);
  });
  await check('push', async (tell) => {
    write("  nick: varchar('nick', { length: 40 }).default('none'), born: timestamp('born'),\n");
    kit('push', '--force');
    tell('columns', (await pool.query("SELECT column_name, is_nullable, character_maximum_length FROM information_schema.columns WHERE table_name = 'dz_users' ORDER BY 1")).rows);
  });
  await check('drop', async () => {
    for (const t of ['TABLE dz_marks', 'TABLE dz_posts', 'TABLE dz_users', 'TYPE dz_role', 'SCHEMA drizzle CASCADE']) await pool.query('DROP ' + t);
  });
  await pool.end();
  fs.rmSync(work, { recursive: true });
})();
