"""psycopg 2: values through text, named cursors, COPY, extras, types of users, modes of transactions."""
import io
import select

import psycopg2
import psycopg2.extras
import psycopg2.extensions as ext
from checks import Checks
from drivers import RARE, TYPES, plain

check = Checks("psycopg2", psycopg2.__version__.split()[0])
conn = psycopg2.connect("")
conn.autocommit = True
cur = conn.cursor()
cur.execute("SET timezone = 'UTC'")
psycopg2.extras.register_uuid()

for n, (name, declared, values) in enumerate(TYPES):
    def run(table=f"p2_type{n}", declared=declared, values=values):
        cur.execute(f"CREATE TABLE {table} (k integer PRIMARY KEY, v {declared})")
        for i, v in enumerate([*values, None]):
            cur.execute(f"INSERT INTO {table} VALUES (%s, %s)", (i, v))
        cur.execute(f"SELECT v FROM {table} ORDER BY k")
        check.tell("values", plain([r[0] for r in cur.fetchall()]))
        check.tell("column", list(cur.description[0])[:6])
        cur.execute(f"DROP TABLE {table}")
    run.__name__ = name
    check(run)

for name in RARE:
    def run(name=name):
        cur.execute("DROP TABLE IF EXISTS p2_types")
        cur.execute(f"CREATE TABLE p2_types (k integer PRIMARY KEY, v {name})")
    run.__name__ = "column of " + name
    check(run)
cur.execute("DROP TABLE IF EXISTS p2_types")


@check
def named_cursor():
    conn.autocommit = False
    with conn.cursor("named", scrollable=True) as c:
        c.itersize = 10
        c.execute("SELECT i, 'x' || i FROM generate_series(1, 45) i")
        check.tell("sum", sum(r[0] for r in c))
        c.scroll(5, mode="absolute")
        check.tell("sixth", c.fetchone())
    conn.commit()
    conn.autocommit = True
    with conn.cursor("held", withhold=True) as c:
        c.execute("SELECT 1")
        check.tell("held", c.fetchall())


@check
def copy():
    cur.execute("CREATE TABLE p2_copy (k integer PRIMARY KEY, t text)")
    cur.copy_from(io.StringIO("".join(f"{i}\tr{i}\n" for i in range(100)) + "100\t\\N\n"), "p2_copy")
    check.tell("count", cur.rowcount)
    out = io.StringIO()
    cur.copy_expert("COPY (SELECT * FROM p2_copy WHERE k > 97 ORDER BY k) TO STDOUT WITH (FORMAT csv, HEADER, NULL 'none')", out)
    check.tell("csv", out.getvalue())
    out = io.StringIO()
    cur.copy_to(out, "p2_copy", columns=["t"], null="-")
    check.tell("lines", sorted(out.getvalue().splitlines())[:3])
    cur.execute("DROP TABLE p2_copy")


@check
def extras():
    cur.execute("CREATE TABLE p2_extra (k serial PRIMARY KEY, a integer, j jsonb)")
    psycopg2.extras.execute_values(cur, "INSERT INTO p2_extra (a, j) VALUES %s RETURNING k", [(i, psycopg2.extras.Json({"i": i})) for i in range(25)], page_size=10)
    psycopg2.extras.execute_batch(cur, "UPDATE p2_extra SET a = a + %s WHERE k = %s", [(100, i) for i in range(1, 11)], page_size=4)
    with conn.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as c:
        c.execute("SELECT * FROM p2_extra WHERE k < 3 ORDER BY k")
        check.tell("dicts", [dict(r) for r in c.fetchall()])
    with conn.cursor(cursor_factory=psycopg2.extras.NamedTupleCursor) as c:
        c.execute("SELECT sum(a) AS total, count(*) FILTER (WHERE j @> '{\"i\": 3}') FROM p2_extra")
        check.tell("tuple", plain(list(c.fetchone()._asdict().items())))
    cur.execute("DROP TABLE p2_extra")


@check
def composite():
    cur.execute("CREATE TABLE p2_row (a integer PRIMARY KEY, b text)")
    t = psycopg2.extras.register_composite("p2_row", cur)
    check.tell("type", [t.attnames, t.atttypes])
    cur.execute("SELECT ROW(1, 'x')::p2_row, ARRAY[ROW(2, NULL)::p2_row]")
    check.tell("rows", plain(cur.fetchone()))
    cur.execute("DROP TABLE p2_row")


@check
def sessions():
    c = psycopg2.connect("")
    for level in (ext.ISOLATION_LEVEL_SERIALIZABLE, ext.ISOLATION_LEVEL_REPEATABLE_READ, ext.ISOLATION_LEVEL_READ_COMMITTED, ext.ISOLATION_LEVEL_READ_UNCOMMITTED):
        c.set_session(isolation_level=level)
        with c, c.cursor() as k:
            k.execute("SELECT current_setting('transaction_isolation')")
            check.tell(f"level {level}", k.fetchone())
    c.set_session(readonly=True, deferrable=True, isolation_level="DEFAULT")
    with c, c.cursor() as k:
        k.execute("SHOW transaction_read_only")
        check.tell("read only", k.fetchone())
    c.set_client_encoding("LATIN1")
    with c, c.cursor() as k:
        k.execute("SELECT 'é'")
        check.tell("latin1", k.fetchone())
    c.reset()
    check.tell("status", [c.get_transaction_status(), c.info.server_version // 10000])
    c.close()


@check
def notify():
    c = psycopg2.connect("")
    c.autocommit = True
    c.cursor().execute("LISTEN p2")
    cur.execute("NOTIFY p2, 'payload'")
    select.select([c], [], [], 20)
    c.poll()
    check.tell("got", [[n.channel, n.payload] for n in c.notifies])
    c.close()


@check
def errors():
    for sql in ("SELECT 1/0", "SELECT nope", "SELECT 'a'::uuid"):
        try:
            cur.execute(sql)
        except psycopg2.Error as e:
            check.tell(sql, [type(e).__name__, e.pgcode, e.pgerror])


conn.close()
