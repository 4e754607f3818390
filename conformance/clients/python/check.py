"""Checks that psycopg (text and binary) and asyncpg work as with PostgreSQL."""
import asyncio
import datetime
import decimal
import os

import asyncpg
import psycopg

ROWS = [
    (1, "a", decimal.Decimal("1.50"), datetime.datetime(2024, 2, 29, 12, 0, 0, 1), True, b"\x00\xff", 0.1, [1, 2]),
    (2, "é", None, None, None, None, None, None),
]
DDL = """CREATE TABLE {} (k INT, s VARCHAR, n NUMERIC(6,2), t TIMESTAMP, b BOOLEAN, y BYTEA, f DOUBLE PRECISION, a INT[],
  PRIMARY KEY (k)) SALT_BUCKETS = 4"""


def psycopg_checks():
    with psycopg.connect("", autocommit=True) as conn:
        conn.execute(DDL.format("py1"))
        with conn.cursor() as cur:
            cur.executemany("INSERT INTO py1 VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", ROWS)
        for binary in (False, True):
            with conn.cursor(binary=binary) as cur:
                got = cur.execute("SELECT * FROM py1 ORDER BY k").fetchall()
                assert got == ROWS, (binary, got)
        with conn.cursor() as cur:
            with cur.copy("COPY py1 (k, s) FROM STDIN") as copy:
                for i in range(10, 20):
                    copy.write_row((i, f"row {i}"))
            assert cur.execute("SELECT count(*) FROM py1").fetchone() == (12,)
        # An error fails the block; a savepoint (a nested block) saves the outer one.
        with conn.transaction():
            conn.execute("INSERT INTO py1 (k) VALUES (100)")
            try:
                with conn.transaction():
                    conn.execute("INSERT INTO py1 (k) VALUES (100)")
            except psycopg.errors.UniqueViolation as e:
                assert e.diag.constraint_name == "py1_pkey", e.diag.constraint_name
            else:
                raise AssertionError("no error for a key that exists")
        assert conn.execute("SELECT count(*) FROM py1 WHERE k = 100").fetchone() == (1,)
        with conn.transaction():
            with conn.cursor(name="c") as cur:
                cur.itersize = 3
                cur.execute("SELECT k FROM py1 ORDER BY k")
                assert len(list(cur)) == 13
        with conn.pipeline():
            for i in range(200, 210):
                conn.execute("INSERT INTO py1 (k) VALUES (%s)", (i,))
        assert conn.execute("SELECT count(*) FROM py1 WHERE k >= 200").fetchone() == (10,)
        try:
            conn.execute("SELECT nope FROM py1")
        except psycopg.errors.UndefinedColumn as e:
            assert e.diag.statement_position == "8", e.diag.statement_position
        conn.execute("DROP TABLE py1")


async def asyncpg_checks():
    conn = await asyncpg.connect(host=os.environ["PGHOST"], port=int(os.environ["PGPORT"]), user="tester", database="saltsql")
    await conn.execute(DDL.format("py2"))
    await conn.executemany("INSERT INTO py2 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", ROWS)
    got = [tuple(r) for r in await conn.fetch("SELECT * FROM py2 ORDER BY k")]
    assert got == ROWS, got
    await conn.copy_records_to_table("py2", records=[(i, "c") for i in range(10, 15)], columns=["k", "s"], schema_name="public")
    assert await conn.fetchval("SELECT count(*) FROM py2") == 7
    async with conn.transaction():
        n = 0
        async for _ in conn.cursor("SELECT k FROM py2 ORDER BY k", prefetch=2):
            n += 1
        assert n == 7
    await conn.execute("DROP TABLE py2")
    await conn.close()


psycopg_checks()
asyncio.run(asyncpg_checks())
print("psycopg", psycopg.__version__, "asyncpg", asyncpg.__version__)
