// TypeORM: a schema synchronised from entities, compared with the catalogs, and queried.
const { DataSource, EntitySchema, In, Like, MoreThan, IsNull, Not, Table, TableColumn, TableIndex } = require('typeorm');
const { checks, versionOf } = require('./node_checks');
const check = checks('TypeORM', versionOf('typeorm'));

const User = new EntitySchema({ name: 'User', tableName: 'to_user', columns: {
  id: { type: Number, primary: true, generated: 'increment' },
  name: { type: 'varchar', length: 40, unique: true, comment: 'in full' },
  role: { type: 'enum', enum: ['admin', 'guest'], default: 'guest', enumName: 'to_role' },
  born: { type: 'date', nullable: true },
  prefs: { type: 'jsonb', nullable: true },
  tags: { type: 'text', array: true, default: '{}' },
  created: { type: 'timestamptz', createDate: true },
  updated: { type: 'timestamptz', updateDate: true },
  version: { type: Number, version: true },
}, relations: { posts: { type: 'one-to-many', target: 'Post', inverseSide: 'author' } }, indices: [{ name: 'to_user_born', columns: ['born', 'name'] }] });
const Post = new EntitySchema({ name: 'Post', tableName: 'to_post', columns: {
  id: { type: 'uuid', primary: true },
  title: { type: 'text' },
  score: { type: 'numeric', precision: 8, scale: 2, default: 0 },
  open: { type: Boolean, default: true },
  deleted: { type: 'timestamp', deleteDate: true, nullable: true },
}, relations: {
  author: { type: 'many-to-one', target: 'User', inverseSide: 'posts', joinColumn: { name: 'author_id' } },
  labels: { type: 'many-to-many', target: 'Label', joinTable: { name: 'to_post_label' } },
}, checks: [{ name: 'to_score', expression: '"score" >= 0' }] });
const Label = new EntitySchema({ name: 'Label', tableName: 'to_label', columns: { text: { type: 'varchar', primary: true } } });
const db = new DataSource({ type: 'postgres', host: process.env.PGHOST, port: +process.env.PGPORT, username: process.env.PGUSER,
  database: process.env.PGDATABASE, entities: [User, Post, Label], installExtensions: false, logging: false });
const uuid = (i) => `00000000-0000-4000-8000-0000000000${String(i).padStart(2, '0')}`;

(async () => {
  await check('connect', async () => { await db.initialize(); });
  await check('synchronize', async () => { await db.synchronize(); });
  await check('compare', async (tell) => { tell('changes', (await db.driver.createSchemaBuilder().log()).upQueries.map((x) => x.query)); });
  const runner = db.createQueryRunner();
  await check('catalogs', async (tell) => {
    for (const name of ['to_user', 'to_post']) {
      const t = await runner.getTable(name);
      tell('columns of ' + name, t.columns.map((c) => [c.name, c.type, c.length, c.precision, c.isNullable, c.isGenerated, c.isPrimary, c.isUnique, c.default, c.isArray, c.comment, c.enum]));
      tell('indexes of ' + name, t.indices.map((i) => [i.name, i.columnNames, i.isUnique]));
      tell('uniques of ' + name, t.uniques.map((u) => u.columnNames));
      tell('checks of ' + name, t.checks.map((c) => [c.name, c.columnNames]));
      tell('keys of ' + name, t.foreignKeys.map((k) => [k.columnNames, k.referencedTableName, k.onDelete]));
    }
    tell('there', [await runner.hasTable('to_label'), await runner.hasColumn('to_label', 'nope'), await runner.hasSchema('public')]);
  });
  const users = db.getRepository('User'), posts = db.getRepository('Post');
  await check('insert', async (tell) => {
    const labels = await db.getRepository('Label').save([{ text: 'hot' }, { text: 'cold' }]);
    const made = await users.save([1, 2, 3].map((i) => ({ name: `u${i}`, born: `200${i}-01-01`, prefs: { a: i }, tags: ['x', `t${i}`] })));
    tell('made', made.map((u) => [u.id, u.role, u.version]));
    await posts.save(Array.from({ length: 9 }, (_, i) => ({ id: uuid(i), title: `p${i}`, score: i + 0.5, author: made[i % 3], labels: i % 2 ? [labels[0]] : [] })));
  });
  await check('query', async (tell) => {
    tell('find', (await users.find({ where: { name: Like('u%'), id: MoreThan(1) }, order: { name: 'DESC' } })).map((u) => [u.name, u.born, u.tags]));
    tell('relations', (await users.find({ relations: { posts: { labels: true } }, order: { id: 'ASC', posts: { title: 'ASC' } } }))
      .map((u) => [u.name, u.posts.map((p) => [p.title, p.score, p.labels.length])]));
    tell('paged', (await users.findAndCount({ relations: { posts: true }, order: { name: 'ASC' }, skip: 1, take: 1 })).map((x) => (x.map ? x.map((u) => u.name) : x)));
    tell('builder', await posts.createQueryBuilder('p').innerJoin('p.author', 'u').select('u.name', 'name').addSelect('SUM(p.score)', 's').groupBy('u.name').having('SUM(p.score) > :n', { n: 10 }).orderBy('u.name').getRawMany());
    tell('in', await posts.count({ where: { id: In([uuid(1), uuid(2)]), author: Not(IsNull()) } }));
    tell('json', (await users.createQueryBuilder('u').where("u.prefs ->> 'a' = :a", { a: '2' }).getMany()).map((u) => u.name));
    tell('exists', (await users.createQueryBuilder('u').where((qb) => 'EXISTS ' + qb.subQuery().select('1').from('Post', 'p').where('p.author_id = u.id AND p.score > 8').getQuery()).getMany()).map((u) => u.name));
    tell('relation ids', (await posts.createQueryBuilder('p').loadAllRelationIds().orderBy('p.title').limit(2).getMany()).map((p) => [p.author, p.labels]));
  });
  await check('change', async (tell) => {
    const u = await users.findOneBy({ name: 'u1' });
    u.role = 'admin';
    await users.save(u);
    tell('version', [u.version, (await users.findOneBy({ name: 'u1' })).role]);
    tell('update', (await posts.update({ open: true, title: 'p3' }, { open: false })).affected);
    await users.increment({ name: 'u2' }, 'version', 5);
    await users.upsert({ name: 'u3', role: 'admin' }, ['name']);
    tell('upserted', (await users.find({ order: { id: 'ASC' } })).map((x) => [x.name, x.role, x.version]));
    await posts.softDelete({ id: uuid(4) });
    tell('soft', [await posts.count(), await posts.count({ withDeleted: true })]);
    await posts.restore({ id: uuid(4) });
  });
  await check('transaction', async (tell) => {
    await db.transaction(async (m) => {
      await m.getRepository('User').save({ name: 'kept' });
      await m.transaction(async (n) => { await n.getRepository('User').save({ name: 'lost' }); throw new Error('no'); }).catch(() => {});
      await m.getRepository('User').createQueryBuilder('u').setLock('pessimistic_write').where("u.name = 'u1'").getOne();
    });
    tell('there', [await users.countBy({ name: 'kept' }), await users.countBy({ name: 'lost' })]);
  });
  await check('duplicate', async (tell) => { await users.insert({ name: 'u1' }).catch((e) => tell('code', e.code)); });
  await check('migrate', async (tell) => {
    await runner.createTable(new Table({ name: 'to_mig', columns: [{ name: 'id', type: 'int', isPrimary: true }, { name: 'a', type: 'varchar', length: '20' }] }), true);
    await runner.addColumn('to_mig', new TableColumn({ name: 'b', type: 'int', default: 5 }));
    await runner.renameColumn('to_mig', 'b', 'c');
    await runner.createIndex('to_mig', new TableIndex({ name: 'to_mig_c', columnNames: ['c'] }));
    tell('columns', (await runner.getTable('to_mig')).columns.map((c) => [c.name, c.type, c.default]));
    await runner.dropTable('to_mig');
  });
  await runner.release();
  await check('drop', async () => { await db.dropDatabase(); });
  await db.destroy();
})();
