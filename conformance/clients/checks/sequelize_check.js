// Sequelize: models synchronised, altered, described by its query interface, and queried.
const { Sequelize, DataTypes, Op, literal, fn, col } = require('sequelize');
const { checks, versionOf } = require('./node_checks');
const check = checks('Sequelize', versionOf('sequelize'));
const db = new Sequelize({ dialect: 'postgres', host: process.env.PGHOST, port: +process.env.PGPORT, username: process.env.PGUSER,
  database: process.env.PGDATABASE, logging: false });

const User = db.define('sq_user', {
  name: { type: DataTypes.STRING(40), allowNull: false, unique: true, comment: 'in full' },
  role: { type: DataTypes.STRING(10), defaultValue: 'guest' },
  born: DataTypes.DATEONLY, score: { type: DataTypes.DOUBLE, defaultValue: 0 }, prefs: DataTypes.JSONB, tags: DataTypes.ARRAY(DataTypes.STRING),
}, { paranoid: true, indexes: [{ fields: ['born', 'score'] }] });
const Task = db.define('sq_task', {
  id: { type: DataTypes.UUID, primaryKey: true, defaultValue: DataTypes.UUIDV4 },
  title: DataTypes.TEXT, cost: DataTypes.DECIMAL(10, 2), due: DataTypes.DATE, done: { type: DataTypes.BOOLEAN, defaultValue: false }, big: DataTypes.BIGINT,
}, { timestamps: false });
const Label = db.define('sq_label', { text: { type: DataTypes.STRING, primaryKey: true } }, { timestamps: false });
User.hasMany(Task, { as: 'tasks', foreignKey: 'userId', onDelete: 'NO ACTION', onUpdate: 'NO ACTION' });
Task.belongsTo(User, { as: 'user', foreignKey: 'userId', onDelete: 'NO ACTION', onUpdate: 'NO ACTION' });
Task.belongsToMany(Label, { through: 'sq_task_label', timestamps: false });
Label.belongsToMany(Task, { through: 'sq_task_label', timestamps: false });
const q = db.getQueryInterface();

(async () => {
  await check('connect', async () => { await db.authenticate(); });
  await check('sync', async () => { await db.sync({ force: true }); });
  await check('describe', async (tell) => {
    tell('tables', (await q.showAllTables()).filter((t) => t.startsWith('sq_')).sort());
    tell('user', await q.describeTable('sq_users'));
    tell('task', await q.describeTable('sq_tasks'));
    tell('indexes', (await q.showIndex('sq_users')).map((i) => [i.name, i.primary, i.unique, i.fields.map((f) => f.attribute)]).sort());
    tell('constraints', (await q.showConstraint('sq_tasks')).map((c) => [c.constraintName.replace(/^\d+_\d+_/, ''), c.constraintType]).sort());
    tell('references', (await q.getForeignKeyReferencesForTable('sq_tasks')).map((f) => [f.columnName, f.referencedTableName, f.referencedColumnName]));
  });
  await check('insert', async (tell) => {
    const users = await User.bulkCreate([1, 2, 3, 4].map((i) => ({ name: `u${i}`, born: `200${i}-01-01`, score: i, prefs: { a: { b: i } }, tags: ['x', `t${i}`] })), { returning: true });
    tell('ids', users.map((u) => u.id));
    await Label.bulkCreate([{ text: 'hot' }, { text: 'cold' }]);
    for (let i = 0; i < 12; i++) {
      const t = await Task.create({ title: `task ${i}`, cost: i + 0.25, due: new Date(Date.UTC(2024, 1, 1 + i)), userId: users[i % 3].id, big: '9007199254740993' });
      if (i % 4 === 0) await t.addSq_label('hot');
    }
  });
  await check('query', async (tell) => {
    const names = (list) => list.map((u) => u.name);
    tell('where', names(await User.findAll({ where: { score: { [Op.between]: [2, 3] }, name: { [Op.iLike]: 'U%' } }, order: ['name'] })));
    tell('json', names(await User.findAll({ where: { prefs: { a: { b: { [Op.gt]: 2 } } } }, order: ['id'] })));
    tell('array', names(await User.findAll({ where: { tags: { [Op.contains]: ['t2'] } } })));
    tell('overlap', names(await User.findAll({ where: { tags: { [Op.overlap]: ['t1', 't3'] } }, order: ['id'] })));
    tell('include', (await User.findAll({ include: [{ model: Task, as: 'tasks', where: { cost: { [Op.lt]: 4 } }, required: false }], order: ['id', [{ model: Task, as: 'tasks' }, 'title', 'ASC']] }))
      .map((u) => [u.name, u.tasks.map((t) => [t.title, t.cost, t.big])]));
    tell('include limit', (await User.findAll({ include: [{ model: Task, as: 'tasks' }], order: [['id', 'DESC']], limit: 2 })).map((u) => [u.name, u.tasks.length]));
    tell('separate', (await User.findAll({ include: [{ model: Task, as: 'tasks', separate: true, limit: 2, order: ['title'] }], order: ['id'] })).map((u) => u.tasks.map((t) => t.title)));
    tell('many to many', (await Label.findByPk('hot', { include: Task })).sq_tasks.map((t) => t.title).sort());
    tell('group', (await Task.findAll({ attributes: ['userId', [fn('COUNT', col('id')), 'n'], [fn('SUM', col('cost')), 's']], group: 'userId', having: literal('COUNT(id) > 1'), order: ['userId'], raw: true })));
    const { count, rows } = await Task.findAndCountAll({ limit: 3, offset: 2, order: ['title'] });
    tell('count', [count, rows.map((r) => r.title)]);
    tell('aggregate', [await Task.max('due'), await Task.sum('cost'), await User.count({ distinct: true, col: 'role' })]);
    tell('subquery', names(await User.findAll({ where: literal('EXISTS (SELECT 1 FROM sq_tasks t WHERE t."userId" = "sq_user"."id" AND t.cost > 11)') })));
    tell('raw', await db.query('SELECT name, $1::int + score AS s FROM sq_users WHERE role = $2 ORDER BY name', { bind: [1, 'guest'], type: 'SELECT' }));
  });
  await check('change', async (tell) => {
    const u = await User.findOne({ where: { name: 'u1' } });
    await u.update({ role: 'admin', prefs: { z: null } });
    await u.increment('score', { by: 2 });
    await u.reload();
    tell('updated', [u.role, u.score, u.prefs]);
    tell('bulk', await Task.update({ done: true }, { where: { cost: { [Op.gt]: 9 } } }));
    tell('upsert', (await User.upsert({ name: 'u2', score: 9 }, { conflictFields: ['name'] })).map((x) => (x && x.score) || x));
    tell('find or create', (await User.findOrCreate({ where: { name: 'new' }, defaults: { score: 1 } }))[1]);
    await (await User.findOne({ where: { name: 'u4' } })).destroy();
    tell('paranoid', [await User.count(), await User.count({ paranoid: false })]);
    tell('destroyed', await Task.destroy({ where: { done: true } }).catch((e) => e.original.code));
  });
  await check('transaction', async (tell) => {
    await db.transaction(async (t) => {
      const u = await User.findOne({ where: { name: 'u3' }, lock: t.LOCK.UPDATE, transaction: t });
      await u.update({ score: 33 }, { transaction: t });
    });
    await db.transaction(async (t) => { await User.create({ name: 'lost' }, { transaction: t }); throw new Error('no'); }).catch(() => {});
    await db.transaction({ isolationLevel: Sequelize.Transaction.ISOLATION_LEVELS.READ_COMMITTED }, (t) => User.count({ transaction: t }));
    tell('there', [await User.count({ where: { name: 'lost' } }), (await User.findOne({ where: { name: 'u3' } })).score]);
  });
  await check('duplicate', async (tell) => { await User.create({ name: 'u1' }).catch((e) => tell('error', [e.name, e.errors.map((x) => x.path)])); });
  await check('migrate', async (tell) => {
    await q.addColumn('sq_users', 'note', { type: DataTypes.STRING, allowNull: false, defaultValue: 'none' });
    await q.renameColumn('sq_users', 'note', 'remark');
    await q.changeColumn('sq_users', 'remark', { type: DataTypes.TEXT });
    await q.addIndex('sq_users', ['remark'], { name: 'sq_remark' });
    await q.addConstraint('sq_tasks', { fields: ['cost'], type: 'check', name: 'sq_cost', where: { cost: { [Op.gte]: 0 } } });
    tell('column', (await q.describeTable('sq_users')).remark);
    await q.removeConstraint('sq_tasks', 'sq_cost');
    await q.removeIndex('sq_users', 'sq_remark');
    await q.removeColumn('sq_users', 'remark');
  });
  await check('sync alter', async () => { await Label.sync({ alter: true }); await Task.sync({ alter: true }); });
  await check('enum', async (tell) => {
    const Mood = db.define('sq_mood', { mood: DataTypes.ENUM('calm', 'glad') }, { timestamps: false });
    await Mood.sync({ force: true });
    await Mood.create({ mood: 'glad' });
    tell('moods', (await Mood.findAll()).map((m) => m.mood));
    await db.query('DROP TABLE sq_moods');
  });
  await check('drop', async (tell) => {
    for (const t of ['sq_task_label', 'sq_tasks', 'sq_labels', 'sq_users']) await q.dropTable(t);
    tell('left', (await q.showAllTables()).filter((t) => t.startsWith('sq_')));
  });
  await db.close();
})();
