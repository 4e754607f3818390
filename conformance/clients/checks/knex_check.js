// Knex: migrations by its schema builder, what it finds in the catalogs, and queries.
const knexOf = require('knex');
const { checks, versionOf } = require('./node_checks');
const check = checks('Knex', versionOf('knex'));
const knex = knexOf({ client: 'pg', connection: {
  host: process.env.PGHOST, port: +process.env.PGPORT, user: process.env.PGUSER, database: process.env.PGDATABASE }, pool: { min: 1, max: 3 } });

const migrations = {
  '1_users': {
    up: async (k) => {
      await k.schema.createTable('kn_users', (t) => {
        t.increments('id');
        t.string('email', 60).notNullable().unique();
        t.enu('kind', ['admin', 'guest']).defaultTo('guest');
        t.json('prefs');
        t.timestamps(true, true);
        t.comment('who signs in');
      });
      await k.schema.createTable('kn_posts', (t) => {
        t.bigIncrements('id');
        t.integer('user_id').unsigned().references('id').inTable('kn_users').onDelete('CASCADE').index();
        t.text('body').notNullable();
        t.decimal('score', 6, 2).defaultTo(0);
        t.specificType('tags', 'text[]');
        t.uuid('token');
        t.jsonb('meta');
        t.date('day');
        t.boolean('open').defaultTo(true);
      });
    },
    down: async (k) => { await k.schema.dropTable('kn_posts'); await k.schema.dropTableIfExists('kn_users'); },
  },
  '2_more': {
    up: (k) => k.schema.alterTable('kn_posts', (t) => {
      t.string('title', 80).notNullable().defaultTo('untitled');
      t.index(['day', 'score'], 'kn_by_day');
    }),
    down: (k) => k.schema.alterTable('kn_posts', (t) => { t.dropIndex(['day', 'score'], 'kn_by_day'); t.dropColumn('title'); }),
  },
  '3_change': {
    up: async (k) => {
      await k.schema.alterTable('kn_posts', (t) => { t.renameColumn('body', 'content'); });
      await k.schema.alterTable('kn_users', (t) => { t.string('email', 120).notNullable().alter(); });
    },
    down: (k) => k.schema.alterTable('kn_posts', (t) => { t.renameColumn('content', 'body'); }),
  },
};
const source = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (m) => m,
  getMigration: async (m) => migrations[m],
};
const config = { migrationSource: source, tableName: 'kn_migrations' };

(async () => {
  await check('migrate', async (tell) => { tell('run', (await knex.migrate.latest(config))[1]); });
  config.disableTransactions = true;
  await check('migrate without transactions', async () => {
    await knex.migrate.forceFreeMigrationsLock(config);
    await knex.migrate.latest(config);
  });
  await check('status', async (tell) => {
    tell('version', await knex.migrate.currentVersion(config));
    tell('list', (await knex.migrate.list(config)).map((l) => l.length));
  });
  await check('catalogs', async (tell) => {
    tell('tables', [await knex.schema.hasTable('kn_users'), await knex.schema.hasTable('kn_nope')]);
    tell('column', await knex.schema.hasColumn('kn_posts', 'content'));
    tell('info', await knex('kn_posts').columnInfo());
  });
  await check('insert', async (tell) => {
    const ids = await knex('kn_users').insert([1, 2, 3].map((i) => ({ email: `u${i}@x.org`, prefs: { a: i } }))).returning('id');
    tell('ids', ids);
    await knex.batchInsert('kn_posts', Array.from({ length: 30 }, (_, i) => ({
      user_id: 1 + i % 3, content: `post ${i}`, score: i / 4, tags: ['x', `t${i % 2}`], meta: { n: i, deep: { k: [i] } }, day: `2024-01-${10 + i % 5}` })), 7);
  });
  await check('query', async (tell) => {
    tell('join', await knex('kn_users as u').join('kn_posts as p', 'p.user_id', 'u.id').select('u.email', 'p.content').where('p.score', '>', 6).orderBy('p.id'));
    tell('group', await knex('kn_posts').select('user_id').count('* as n').sum('score as s').groupBy('user_id').havingRaw('count(*) > ?', [3]).orderBy('user_id'));
    tell('in', await knex('kn_posts').whereIn('user_id', knex('kn_users').select('id').where('email', 'like', 'u1%')).count());
    tell('json', await knex('kn_posts').whereJsonPath('meta', '$.n', '>', 27).orderBy('id').pluck('content'));
    tell('json object', await knex('kn_posts').whereJsonSupersetOf('meta', { n: 3 }).pluck('content'));
    tell('with', await knex.with('top', knex('kn_posts').orderBy('score', 'desc').limit(3)).select('content').from('top').orderBy('content'));
    tell('window', await knex('kn_posts').select('content').rowNumber('r', (o) => o.partitionBy('user_id').orderBy('score')).orderBy('id').limit(4));
    tell('union', await knex('kn_users').select('email').where('id', 1).union(knex('kn_users').select('email').where('id', 2)).orderBy('email'));
    tell('array', await knex('kn_posts').whereRaw('? = ANY(tags)', ['t1']).count());
    tell('lateral', (await knex.raw('SELECT u.email, p.content FROM kn_users u, LATERAL (SELECT content FROM kn_posts WHERE user_id = u.id ORDER BY id LIMIT 1) p ORDER BY 1')).rows);
  });
  await check('change', async (tell) => {
    tell('update', await knex('kn_posts').where('score', '<', 1).update({ open: false, score: knex.raw('score + 1') }));
    tell('increment', await knex('kn_posts').where('id', 5).increment('score', 2).returning('score'));
    tell('upsert', await knex('kn_users').insert({ email: 'u1@x.org', kind: 'admin' }).onConflict('email').merge(['kind']).returning(['id', 'kind']));
    tell('ignore', (await knex('kn_users').insert({ email: 'u1@x.org' }).onConflict('email').ignore()).rowCount);
    tell('delete', await knex('kn_posts').where('id', '>', 25).del());
  });
  await check('transaction', async (tell) => {
    await knex.transaction(async (trx) => {
      await trx('kn_users').insert({ email: 'kept@x.org' });
      await trx.transaction(async (sub) => { await sub('kn_users').insert({ email: 'lost@x.org' }); throw new Error('no'); }).catch(() => {});
      tell('locked', (await trx('kn_users').where('id', 1).forUpdate()).length);
    });
    tell('there', await knex('kn_users').whereIn('email', ['kept@x.org', 'lost@x.org']).pluck('email'));
  });
  await check('errors', async (tell) => {
    await knex('kn_users').insert({ email: 'u1@x.org' }).catch((e) => tell('duplicate', [e.code, e.constraint]));
    await knex('kn_users').insert({ email: null }).catch((e) => tell('null', [e.code, e.column]));
    await knex('kn_users').insert({ email: 'k', kind: 'nope' }).catch((e) => tell('check', [e.code, e.constraint]));
  });
  await check('stream', async (tell) => {
    let n = 0;
    for await (const _ of knex('kn_posts').select().limit(20).stream()) n++;
    tell('rows', n);
  });
  await check('rollback', async (tell) => { tell('undone', (await knex.migrate.rollback(config, true))[1]); await knex.schema.dropTable('kn_migrations_lock'); await knex.schema.dropTable('kn_migrations'); });
  await knex.destroy();
})();
