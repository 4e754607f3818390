// Prisma: migrations by its schema engine, introspection, a pushed change, and queries of its
// client, all without the engines that it downloads: they are compiled to WebAssembly and ask
// through its driver adapter.
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { checks } = require('./node_checks');
const modules = process.env.PRISMA_MODULES;
const check = checks('Prisma', JSON.parse(fs.readFileSync(path.join(modules, 'prisma/package.json'))).version);

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'prisma-'));
// Links would lead the generated client out of the folder.
fs.cpSync(modules, path.join(work, 'node_modules'), { recursive: true, verbatimSymlinks: true });
const schema = (more) => `
generator client {
  provider   = "prisma-client-js"
  engineType = "client"
}

datasource db {
  provider = "postgresql"
  url      = env("DATABASE_URL")
}

enum PrRole {
  USER
  ADMIN
}

model Writer {
  id    Int      @id @default(autoincrement())
  email String   @unique
  name  String?
  role  PrRole   @default(USER)
  since DateTime @default(now())
  notes Note[]

  @@map("pr_writers")
}

model Note {
  id       String  @id @default(uuid()) @db.Uuid
  title    String  @db.VarChar(200)
  body     Json?
  tags     String[]
  price    Decimal @default(0) @db.Decimal(10, 2)
  open     Boolean @default(false)
  views    BigInt  @default(0)${more}
  writer   Writer  @relation(fields: [writerId], references: [id], onDelete: Cascade)
  writerId Int

  @@index([writerId, open])
  @@map("pr_notes")
}
`;
fs.writeFileSync(path.join(work, 'schema.prisma'), schema(''));
fs.writeFileSync(path.join(work, 'pushed.prisma'), schema('\n  rating   Float?\n  slug     String? @unique'));
// The adapter does not know "char", which the schema engine reads: PostgreSQL is asked alike.
fs.writeFileSync(path.join(work, 'adapter.js'), `
const { PrismaPg } = require('@prisma/adapter-pg');
const pg = require('pg');
const known = (o) => {
  if (o.known) return o;
  o.known = true;
  const query = o.query;
  o.query = async function (...args) {
    const r = await query.apply(o, args);
    for (const f of (r && r.fields) || []) if (f.dataTypeID === 18) f.dataTypeID = 25;
    return r;
  };
  return o;
};
exports.adapter = () => {
  const pool = known(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 3 }));
  const connect = pool.connect.bind(pool);
  pool.connect = (cb) => cb ? connect(cb) : connect().then(known);
  return new PrismaPg(pool);
};
`);
fs.writeFileSync(path.join(work, 'prisma.config.ts'), `
import { defineConfig } from 'prisma/config';
import { adapter } from './adapter.js';
export default defineConfig({ experimental: { adapter: true }, engine: 'js', schema: 'schema.prisma', migrations: { path: 'migrations' }, adapter: async () => adapter() });
`);
const env = process.env;
env.DATABASE_URL = `postgresql://${env.PGUSER}@${env.PGHOST}:${env.PGPORT}/${env.PGDATABASE}?options=-c%20search_path%3Dpublic`;
Object.assign(env, { PRISMA_QUERY_ENGINE_LIBRARY: process.execPath, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1', CI: '1' });
const prisma = (...args) => {
  try {
    return execFileSync(process.execPath, [path.join(work, 'node_modules/prisma/build/index.js'), ...args], { cwd: work, stdio: 'pipe', encoding: 'utf8' });
  } catch (e) {
    throw new Error(`${e.stdout}${e.stderr}`.split('\n').filter((l) => /error/i.test(l)).join(' ') || e.message);
  }
};
// What belongs to other clients of the same server is left out.
const own = (text) => text.split(/\n(?=model |enum |\/\/\/)/).filter((b) => /^(model (Writer|Note)|enum PrRole)/.test(b)).sort();

(async () => {
  await check('migrate diff, deploy, status', (saw) => {
    const sql = prisma('migrate', 'diff', '--from-empty', '--to-schema-datamodel', 'schema.prisma', '--script');
    fs.mkdirSync(path.join(work, 'migrations/0_init'), { recursive: true });
    fs.writeFileSync(path.join(work, 'migrations/migration_lock.toml'), 'provider = "postgresql"\n');
    fs.writeFileSync(path.join(work, 'migrations/0_init/migration.sql'), sql.slice(sql.indexOf('-- Create')));
    saw('deployed', /successfully applied/.test(prisma('migrate', 'deploy')));
    saw('status', /up to date/.test(prisma('migrate', 'status')));
    saw('again', /No pending/.test(prisma('migrate', 'deploy')));
  });
  const pull = () => {
    fs.copyFileSync(path.join(work, 'schema.prisma'), path.join(work, 'pulled.prisma'));
    return own(prisma('db', 'pull', '--schema', 'pulled.prisma', '--print'));
  };
  await check('db pull', (saw) => saw('models', pull()));
  prisma('generate');
  const { PrismaClient, Prisma } = require(path.join(work, 'node_modules/@prisma/client'));
  const db = new PrismaClient({ adapter: require(path.join(work, 'adapter.js')).adapter() });
  await check('create, nested', async (saw) => {
    for (const [i, name] of ['ann', 'bob', 'cid'].entries()) {
      const notes = [...Array(4).keys()].map((n) => ({ title: `${name} ${n}`, open: n % 2 === 0, price: n * 1.25, views: BigInt(n) * 10n ** 12n, tags: ['a', `t${n}`], body: { n, deep: [1, { x: null }] } }));
      const w = await db.writer.create({ data: { email: `${name}@example.org`, name, role: i ? 'USER' : 'ADMIN', notes: { create: notes } }, include: { notes: { orderBy: { title: 'asc' } } } });
      saw(name, [w.id, w.email, w.role, w.notes.map((n) => [n.title, n.open, String(n.price), String(n.views), n.tags, n.body])]);
    }
  });
  await check('find, filter, relations', async (saw) => {
    saw('json', (await db.note.findMany({ where: { body: { path: ['n'], equals: 2 } }, orderBy: { title: 'asc' } })).map((n) => n.title));
    saw('some', await db.writer.findMany({ where: { notes: { some: { price: { gt: 3 } } }, role: 'USER' }, select: { name: true, _count: { select: { notes: true } } }, orderBy: { id: 'asc' } }));
    saw('in', (await db.note.findMany({ where: { title: { contains: 'B', mode: 'insensitive' }, tags: { has: 't1' }, writer: { is: { name: { in: ['bob', 'ann'] } } } } })).map((n) => n.title));
    saw('page', (await db.note.findMany({ orderBy: [{ writer: { name: 'desc' } }, { title: 'asc' }], skip: 3, take: 4 })).map((n) => n.title));
    saw('none', await db.writer.findFirst({ where: { notes: { none: {} } } }));
  });
  await check('aggregate, groupBy', async (saw) => {
    saw('sum', JSON.stringify(await db.note.aggregate({ _sum: { price: true }, _avg: { price: true }, _max: { title: true }, _count: true })));
    saw('groups', JSON.stringify(await db.note.groupBy({ by: ['open', 'writerId'], _count: { _all: true }, _sum: { price: true }, having: { price: { _sum: { gt: 2 } } }, orderBy: [{ open: 'asc' }, { writerId: 'asc' }] })));
  });
  await check('update, upsert, createMany', async (saw) => {
    saw('many', await db.note.updateMany({ where: { open: false }, data: { price: { increment: 1 }, tags: { push: 'shut' } } }));
    saw('new', (await db.writer.upsert({ where: { email: 'dan@example.org' }, create: { email: 'dan@example.org', name: 'dan' }, update: { name: 'no' } })).name);
    saw('old', (await db.writer.upsert({ where: { email: 'dan@example.org' }, create: { email: 'dan@example.org' }, update: { name: 'yes' } })).name);
    saw('skipped', await db.writer.createMany({ data: [{ email: 'dan@example.org' }, { email: 'eve@example.org' }], skipDuplicates: true }));
    saw('returned', (await db.writer.createManyAndReturn({ data: [{ email: 'fay@example.org' }] })).map((w) => [w.email, w.role]));
    saw('total', String((await db.note.aggregate({ _sum: { price: true } }))._sum.price));
  });
  await check('unique', async (saw) => {
    try { await db.writer.create({ data: { email: 'ann@example.org' } }); } catch (e) { saw('code', [e.code, e.meta && e.meta.modelName]); }
  });
  await check('transactions', async (saw) => {
    const [n, w] = await db.$transaction([db.note.count(), db.writer.count()]);
    saw('batch', [n, w]);
    await db.$transaction(async (tx) => { await tx.writer.create({ data: { email: 'gus@example.org' } }); throw new Error('undo'); }, { isolationLevel: 'RepeatableRead' }).catch((e) => saw('undone', e.message));
    saw('after', await db.writer.count());
  });
  await check('raw', async (saw) => {
    saw('rows', await db.$queryRaw`SELECT name, role::text AS role, since > now() - interval '1 day' AS young FROM pr_writers WHERE id < ${10} AND name = ANY(${['ann', 'bob']}) ORDER BY id`);
    saw('joined', await db.$queryRaw(Prisma.sql`SELECT count(*)::int AS n FROM pr_notes n JOIN pr_writers w ON w.id = n."writerId" WHERE ${Prisma.join([Prisma.sql`n.open`, Prisma.sql`w.role = 'ADMIN'`], ' AND ')}`));
    saw('done', await db.$executeRaw`UPDATE pr_writers SET name = upper(name) WHERE name = ${'bob'}`);
  });
  await check('delete', async (saw) => {
    saw('notes', await db.note.deleteMany({ where: { writer: { email: { startsWith: 'ann' } } } }));
    saw('writer', (await db.writer.delete({ where: { email: 'ann@example.org' } })).name);
    saw('left', [await db.note.count(), await db.writer.count()]);
  });
  await db.$disconnect();
  await check('db push', (saw) => {
    saw('pushed', /in sync/.test(prisma('db', 'push', '--schema', 'pushed.prisma', '--skip-generate', '--accept-data-loss')));
    saw('models', pull());
  });
  fs.rmSync(work, { recursive: true, force: true });
})();
