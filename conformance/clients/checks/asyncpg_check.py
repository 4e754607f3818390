"""asyncpg: binary values of every type, introspection of types, cursors, COPY, listeners, reset of a pool's connections."""
import asyncio
import os

import asyncpg
from checks import Checks
from drivers import TYPES, plain

check = Checks("asyncpg", asyncpg.__version__)
PLACE = dict(host=os.environ["PGHOST"], port=int(os.environ["PGPORT"]), user=os.environ["PGUSER"], database=os.environ["PGDATABASE"])
loop = asyncio.new_event_loop()
conn = loop.run_until_complete(asyncpg.connect(**PLACE))


def checked(run, name=None):
    def sync():
        loop.run_until_complete(run())
    sync.__name__ = name or run.__name__
    check(sync)


for n, (name, declared, values) in enumerate(TYPES):
    async def run(table=f"ap_type{n}", declared=declared, values=values):
        await conn.execute(f"CREATE TABLE {table} (k integer PRIMARY KEY, v {declared})")
        await conn.executemany(f"INSERT INTO {table} VALUES ($1, $2)", list(enumerate([*values, None])))
        s = await conn.prepare(f"SELECT v FROM {table} ORDER BY k")
        check.tell("values", plain([r[0] for r in await s.fetch()]))
        check.tell("type", [[a.name, a.type.name, a.type.kind, a.type.schema] for a in s.get_attributes()])
        s = await conn.prepare(f"SELECT count(*) FROM {table} WHERE v = $1")
        check.tell("parameter", [t.name for t in s.get_parameters()])
        check.tell("found", await s.fetchval(values[-1]))
        await conn.execute(f"DROP TABLE {table}")
    checked(run, name)


async def types_of_users():
    await conn.execute("CREATE TYPE ap_mood AS ENUM ('sad', 'ok')")
    await conn.execute("CREATE DOMAIN ap_small AS integer CHECK (VALUE < 10)")
    await conn.execute("CREATE TABLE ap_own (k integer PRIMARY KEY, m ap_mood, ms ap_mood[], d ap_small)")
    await conn.execute("INSERT INTO ap_own VALUES ($1, $2, $3, $4)", 1, "ok", ["sad", "ok"], 5)
    check.tell("row", plain(tuple(await conn.fetchrow("SELECT m, ms, d, o FROM ap_own o"))))
    try:
        await conn.execute("INSERT INTO ap_own VALUES (2, NULL, NULL, $1)", 50)
    except asyncpg.PostgresError as e:
        check.tell("domain", [e.sqlstate, e.constraint_name])
    await conn.execute("DROP TABLE ap_own")
    await conn.execute("DROP TYPE ap_mood")
    await conn.execute("DROP DOMAIN ap_small")


async def records():
    check.tell("rows", plain(tuple(await conn.fetchrow("SELECT ROW(1, 'x'::text), ARRAY[ROW(1), ROW(2)]"))))


async def codecs():
    import json
    await conn.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    check.tell("json", await conn.fetchval("SELECT $1::jsonb || '{\"b\": [1]}'", {"a": None}))


async def cursor():
    async with conn.transaction():
        c = await conn.cursor("SELECT i FROM generate_series(1, 100) i")
        check.tell("fetched", [r[0] for r in await c.fetch(5)])
        await c.forward(10)
        check.tell("then", (await c.fetchrow())[0])
        check.tell("iterated", len([r async for r in conn.cursor("SELECT i FROM generate_series(1, $1) i", 77, prefetch=10)]))


async def copy():
    await conn.execute("CREATE TABLE ap_copy (k integer PRIMARY KEY, t text, n numeric, at timestamptz)")
    status = await conn.copy_records_to_table("ap_copy", records=[(i, f"t{i}", i, None) for i in range(1000)])
    check.tell("status", status)
    import io
    out = io.BytesIO()
    check.tell("out", await conn.copy_from_query("SELECT k, t FROM ap_copy WHERE k < $1 ORDER BY k", 3, output=out, format="csv"))
    check.tell("csv", out.getvalue().decode())
    check.tell("in", await conn.copy_to_table("ap_copy", source=io.BytesIO(b"2000,x\n"), columns=["k", "t"], format="csv"))
    await conn.execute("DROP TABLE ap_copy")


async def transactions():
    await conn.execute("CREATE TABLE ap_tx (k integer PRIMARY KEY)")
    async with conn.transaction(isolation="serializable"):
        await conn.execute("INSERT INTO ap_tx VALUES (1)")
        try:
            async with conn.transaction():
                await conn.execute("INSERT INTO ap_tx VALUES (1)")
        except asyncpg.UniqueViolationError as e:
            check.tell("error", [e.sqlstate, e.table_name, e.constraint_name, e.detail])
    check.tell("rows", await conn.fetchval("SELECT count(*) FROM ap_tx"))
    async with conn.transaction(readonly=True, deferrable=True, isolation="serializable"):
        check.tell("read only", await conn.fetchval("SHOW transaction_read_only"))
    await conn.execute("DROP TABLE ap_tx")


async def listener():
    got = loop.create_future()
    await conn.add_listener("ap", lambda c, pid, channel, payload: got.set_result([channel, payload]))
    await conn.execute("NOTIFY ap, 'x'")
    check.tell("got", await asyncio.wait_for(got, 20))
    await conn.remove_listener("ap", lambda *_: None)


async def pool():
    async with asyncpg.create_pool(**PLACE, min_size=2, max_size=4) as p:
        check.tell("sum", sum(await asyncio.gather(*(p.fetchval("SELECT $1::int", i) for i in range(50)))))
        async with p.acquire() as c:
            await c.execute("SET statement_timeout = '90s'")
            await c.execute("SELECT pg_advisory_lock(77)")
        async with p.acquire() as c:
            check.tell("reset", await c.fetchval("SHOW statement_timeout"))
        check.tell("locks", await p.fetchval("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))


async def timeout():
    try:
        await conn.fetch("SELECT pg_sleep(30)", timeout=0.3)
    except asyncio.TimeoutError:
        check.tell("then", await conn.fetchval("SELECT 1"))


async def statement():
    s = await conn.prepare("SELECT $1::int AS a, $2::text[] AS b, $3::numeric(10,2) c")
    check.tell("parameters", [[t.name, t.kind, t.oid] for t in s.get_parameters()])
    check.tell("attributes", [[a.name, a.type.name] for a in s.get_attributes()])
    check.tell("query", [s.get_statusmsg(), plain(tuple(await s.fetchrow(1, ["x"], 3)))])
    check.tell("explain", type(await s.explain(1, [], 2)).__name__)
    check.tell("server", [conn.get_server_version().major, conn.get_settings().server_encoding])


for run in (types_of_users, records, codecs, cursor, copy, transactions, listener, pool, timeout, statement):
    checked(run)
loop.run_until_complete(conn.close())
