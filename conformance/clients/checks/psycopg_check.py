"""psycopg 3: values in text and binary, prepared statements, cursors, COPY, pipelines, types of users, notices."""
import enum
import threading
import time

import psycopg
from psycopg.rows import dict_row
from psycopg.types.composite import CompositeInfo
from psycopg.types.enum import EnumInfo, register_enum
from psycopg.types.json import Jsonb
from psycopg.types.range import Range
from checks import Checks
from drivers import TYPES, plain

check = Checks("psycopg", psycopg.__version__)
conn = psycopg.connect("", autocommit=True)
conn.execute("SET timezone = 'UTC'")

for n, (name, declared, values) in enumerate(TYPES):
    for binary in (False, True):
        def run(table=f"p3_type{n}{binary}", declared=declared, values=values, binary=binary):
            conn.execute(f"CREATE TABLE {table} (k integer PRIMARY KEY, v {declared})")
            with conn.cursor(binary=binary) as cur:
                mark = "%b" if binary else "%s"
                for i, v in enumerate([*values, None]):
                    cur.execute(f"INSERT INTO {table} VALUES (%s, {mark})", (i, v))
                got = [r[0] for r in cur.execute(f"SELECT v FROM {table} ORDER BY k").fetchall()]
                check.tell("values", plain(got))
                d = cur.description[0]
                check.tell("column", [d.name, d.type_code, d.display_size, d.internal_size, d.precision, d.scale])
                same = cur.execute(f"SELECT count(*) FROM {table} WHERE v = {mark}", (values[-1],)).fetchone()[0]
                check.tell("found", same)
            conn.execute(f"DROP TABLE {table}")
        run.__name__ = f"{name}, {'binary' if binary else 'text'}"
        check(run)


@check
def ranges():
    check.tell("range", str(conn.execute("SELECT %s::int4range @> 3", (Range(1, 5),)).fetchone()))


@check
def json():
    check.tell("json", conn.execute("SELECT %s::jsonb -> 'a', '[1, null]'::json", (Jsonb({"a": [1, {"b": None}]}),)).fetchone())


@check
def enums():
    class Mood(enum.Enum):
        sad = 1
        ok = 2
    conn.execute("CREATE TYPE p3_mood AS ENUM ('sad', 'ok')")
    conn.execute("CREATE TABLE p3_moods (k integer PRIMARY KEY, m p3_mood, list p3_mood[])")
    info = EnumInfo.fetch(conn, "p3_mood")
    register_enum(info, conn, Mood)
    for binary in (False, True):
        cur = conn.cursor(binary=binary)
        cur.execute("INSERT INTO p3_moods VALUES (%s, %s, %s)", (int(binary), Mood.ok, [Mood.sad, Mood.ok]))
        check.tell(f"binary {binary}", plain(cur.execute("SELECT m, list FROM p3_moods WHERE k = %s", (int(binary),)).fetchone()))
    check.tell("labels", info.labels)
    conn.execute("DROP TABLE p3_moods")
    conn.execute("DROP TYPE p3_mood")


@check
def composites():
    conn.execute("CREATE TABLE p3_row (a integer PRIMARY KEY, b text)")
    info = CompositeInfo.fetch(conn, "p3_row")
    check.tell("fields", [list(info.field_names), list(info.field_types)])
    info.register(conn)
    conn.execute("INSERT INTO p3_row VALUES (1, 'x y')")
    check.tell("row", plain(conn.execute("SELECT r FROM p3_row r").fetchone()[0]))
    conn.execute("DROP TABLE p3_row")


@check
def prepared():
    with psycopg.connect("", autocommit=True, prepare_threshold=1) as c:
        for i in range(5):
            check.tell(f"sum {i}", c.execute("SELECT %s::int + 1", (i,)).fetchone()[0])
        names = c.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%int4 + 1%%' OR statement LIKE '%%::int + 1%%'").fetchone()[0]
        check.tell("prepared", names)
        c.execute("CREATE TABLE p3_changed (k integer PRIMARY KEY, a integer)")
        for _ in range(3):
            c.execute("SELECT * FROM p3_changed").fetchall()
        c.execute("ALTER TABLE p3_changed ADD COLUMN b integer")
        try:
            c.execute("SELECT * FROM p3_changed").fetchall()
        except psycopg.Error as e:
            check.tell("replan", [e.sqlstate, e.diag.message_primary])
        c.execute("DROP TABLE p3_changed")


@check
def cursors():
    with conn.transaction():
        with conn.cursor(name="c", scrollable=True) as cur:
            cur.itersize = 7
            cur.execute("SELECT i FROM generate_series(1, 50) i")
            check.tell("some", [r[0] for _, r in zip(range(10), cur)])
            cur.scroll(-5)
            check.tell("back", cur.fetchone())
            cur.scroll(40, mode="absolute")
            check.tell("absolute", cur.fetchmany(3))
    with conn.cursor(name="held", withhold=True) as cur:
        cur.execute("SELECT i FROM generate_series(1, 5) i")
        check.tell("held", cur.fetchall())


@check
def copy():
    conn.execute("CREATE TABLE p3_copy (k integer PRIMARY KEY, t text, n numeric, at timestamptz, list integer[])")
    with conn.cursor() as cur:
        with cur.copy("COPY p3_copy FROM STDIN") as c:
            for i in range(500):
                c.write_row((i, f"row\t{i}\\", i / 4, None, [i]))
        with cur.copy("COPY p3_copy (k, t) FROM STDIN (FORMAT binary)") as c:
            c.set_types(["int4", "text"])
            for i in range(500, 600):
                c.write_row((i, None))
        check.tell("rows", cur.execute("SELECT count(*), sum(n), count(t) FROM p3_copy").fetchone()[0])
        with cur.copy("COPY (SELECT k, t, list FROM p3_copy WHERE k IN (3, 550) ORDER BY k) TO STDOUT") as c:
            c.set_types(["int4", "text", "int4[]"])
            check.tell("text", plain(list(c.rows())))
        with cur.copy("COPY (SELECT k, t, list FROM p3_copy WHERE k IN (3, 550) ORDER BY k) TO STDOUT (FORMAT binary)") as c:
            c.set_types(["int4", "text", "int4[]"])
            check.tell("binary", plain(list(c.rows())))
        with cur.copy("COPY p3_copy TO STDOUT (FORMAT csv, HEADER, FORCE_QUOTE *)") as c:
            check.tell("csv", b"".join(bytes(part) for part in c).decode().splitlines()[0])
    conn.execute("DROP TABLE p3_copy")


@check
def pipeline():
    conn.execute("CREATE TABLE p3_pipe (k integer PRIMARY KEY)")
    with conn.pipeline() as p:
        cur = [conn.execute("INSERT INTO p3_pipe VALUES (%s) RETURNING k", (i,)) for i in range(20)]
        p.sync()
        check.tell("last", cur[-1].fetchone())
    try:
        with conn.pipeline():
            conn.execute("INSERT INTO p3_pipe VALUES (100)")
            conn.execute("INSERT INTO p3_pipe VALUES (1)")
    except psycopg.Error as e:
        check.tell("error", e.sqlstate)
    check.tell("count", conn.execute("SELECT count(*) FROM p3_pipe").fetchone())
    conn.execute("DROP TABLE p3_pipe")


@check
def transactions():
    conn.execute("CREATE TABLE p3_tx (k integer PRIMARY KEY)")
    with conn.transaction():
        conn.execute("INSERT INTO p3_tx VALUES (1)")
        try:
            with conn.transaction():
                conn.execute("INSERT INTO p3_tx VALUES (2)")
                raise ValueError
        except ValueError:
            pass
    check.tell("kept", conn.execute("SELECT array_agg(k) FROM p3_tx").fetchone()[0])
    for level in psycopg.IsolationLevel:
        with psycopg.connect("") as c:
            c.isolation_level = level
            check.tell(level.name, c.execute("SHOW transaction_isolation").fetchone()[0])
    with psycopg.connect("") as c:
        c.read_only, c.deferrable = True, True
        try:
            c.execute("INSERT INTO p3_tx VALUES (9)")
        except psycopg.Error as e:
            check.tell("read only", e.sqlstate)
    conn.execute("DROP TABLE p3_tx")


@check
def errors():
    conn.execute("CREATE TABLE p3_err (k integer PRIMARY KEY, v integer NOT NULL CHECK (v > 0), u text UNIQUE)")
    conn.execute("INSERT INTO p3_err VALUES (1, 1, 'x')")
    for sql in ("INSERT INTO p3_err VALUES (1, 1)", "INSERT INTO p3_err VALUES (2, NULL)", "INSERT INTO p3_err VALUES (2, -1)", "INSERT INTO p3_err VALUES (2, 1, 'x')",
                "SELECT nope FROM p3_err", "SELECT * FROM nope", "SELECT 1/0", "SELEC 1", "SELECT 'x'::int", "SELECT nope(1)", "INSERT INTO p3_err VALUES (1, 2, 3, 4)",
                "SELECT '2024-13-01'::date", "CREATE TABLE p3_err (k int)", "SELECT 99999999999::int", "SET nope = 1", "SELECT k, count(*) FROM p3_err"):
        try:
            conn.execute(sql)
        except psycopg.Error as e:
            d = e.diag
            check.tell(sql, [type(e).__name__, d.sqlstate, d.severity, d.message_primary, d.message_detail, d.statement_position, d.schema_name, d.table_name, d.column_name,
                             d.constraint_name])
    conn.execute("DROP TABLE p3_err")


@check
def notices():
    seen = []
    conn.add_notice_handler(lambda n: seen.append([n.severity, n.sqlstate, n.message_primary]))
    conn.execute("DROP TABLE IF EXISTS p3_nope")
    check.tell("seen", seen)


@check
def notify():
    with psycopg.connect("", autocommit=True) as c:
        c.execute("LISTEN p3")
        conn.execute("SELECT pg_notify('p3', 'hello')")
        check.tell("got", [[n.channel, n.payload] for n in c.notifies(timeout=20, stop_after=1)])


@check
def cancel():
    with psycopg.connect("", autocommit=True) as c:
        t = threading.Timer(0.3, c.cancel_safe)
        t.start()
        began = time.monotonic()
        try:
            c.execute("SELECT pg_sleep(30)")
        except psycopg.Error as e:
            check.tell("code", [e.sqlstate, time.monotonic() - began < 20])
        t.join()
        check.tell("after", c.execute("SELECT 1").fetchone())


@check
def rows():
    check.tell("dict", conn.cursor(row_factory=dict_row).execute("SELECT 1 AS a, 'x' AS b, NULL AS c").fetchone())
    cur = conn.execute("SELECT 1; SELECT 2")
    check.tell("first", cur.fetchone())
    check.tell("next", [cur.nextset(), cur.fetchone()])
    check.tell("status", [conn.execute(q).statusmessage for q in ("SELECT 1", "SET work_mem = '8MB'", "BEGIN", "COMMIT", "SHOW work_mem")])
    cur.executemany("SELECT %s::int", [(1,), (2,)], returning=True)
    check.tell("many", [r.fetchone() for r in cur.results()])


@check
def parameters():
    info = conn.info
    check.tell("seen", [info.parameter_status(p) for p in ("client_encoding", "DateStyle", "integer_datetimes", "IntervalStyle", "standard_conforming_strings", "server_encoding",
                                                          "is_superuser", "in_hot_standby", "default_transaction_read_only")])
    check.tell("status", [info.server_version // 10000, info.transaction_status.name, info.dbname, info.user, info.encoding])


conn.close()
