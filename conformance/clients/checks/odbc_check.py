"""psqlODBC through pyodbc: types, parameters, the catalog functions of ODBC, cursors and transactions."""
import datetime
import decimal
import os
import subprocess

import pyodbc
from checks import Checks
from drivers import plain

driver = os.environ["PSQLODBC"]
conn_string = f"Driver={driver};Server={os.environ['PGHOST']};Port={os.environ['PGPORT']};Database={os.environ['PGDATABASE']};Uid={os.environ['PGUSER']};Pwd=x;"
conn = pyodbc.connect(conn_string, autocommit=True)
check = Checks("psqlODBC", conn.getinfo(pyodbc.SQL_DRIVER_VER))
cur = conn.cursor()


def rows(found, *columns):
    return [plain([getattr(r, c) for c in columns]) for r in found]


@check
def make():
    cur.execute("CREATE TABLE od_parents (id integer PRIMARY KEY, name varchar(20) NOT NULL DEFAULT 'x')")
    cur.execute("CREATE TABLE od_all (k bigint, s smallint, f real, d double precision, n numeric(10,2), t text, v varchar(30), b boolean, y bytea, da date, ti time, ts timestamp,"
                " tz timestamptz, u uuid, p integer, CONSTRAINT od_key PRIMARY KEY (k, s))")
    cur.execute("ALTER TABLE od_all ADD CONSTRAINT od_parent FOREIGN KEY (p) REFERENCES od_parents NOT VALID")
    cur.execute("CREATE UNIQUE INDEX od_unique ON od_all (v, k)")
    cur.execute("CREATE VIEW od_view AS SELECT k, t FROM od_all")


@check
def info():
    for n in ("SQL_DBMS_NAME", "SQL_IDENTIFIER_QUOTE_CHAR", "SQL_MAX_IDENTIFIER_LEN", "SQL_TXN_CAPABLE", "SQL_CURSOR_COMMIT_BEHAVIOR", "SQL_CATALOG_NAME", "SQL_DATABASE_NAME"):
        check.tell(n, conn.getinfo(getattr(pyodbc, n)))


@check
def tables():
    check.tell("tables", sorted(rows((r for r in cur.tables() if r.table_name.startswith("od_")), "table_cat", "table_schem", "table_name", "table_type")))
    check.tell("views", rows(cur.tables(table="od%", tableType="VIEW"), "table_name"))


@check
def columns():
    check.tell("columns", rows(cur.columns(table="od_all"), "column_name", "data_type", "type_name", "column_size", "decimal_digits", "nullable", "column_def", "ordinal_position"))


@check
def keys():
    check.tell("primary", rows(cur.primaryKeys("od_all"), "column_name", "key_seq", "pk_name"))
    check.tell("foreign", rows(cur.foreignKeys(foreignTable="od_all"), "pktable_name", "pkcolumn_name", "fktable_name", "fkcolumn_name", "update_rule", "delete_rule", "fk_name"))
    check.tell("referenced", rows(cur.foreignKeys(table="od_parents"), "fktable_name", "fkcolumn_name"))
    check.tell("statistics", sorted(rows((r for r in cur.statistics("od_all") if r.index_name), "index_name", "non_unique", "ordinal_position", "column_name")))
    check.tell("row id", rows(cur.rowIdColumns("od_all"), "column_name"))


@check
def types():
    names = ("int4", "text", "varchar", "numeric", "timestamp", "timestamptz", "bytea", "bool", "uuid", "float8", "date", "time", "int8", "int2", "float4")
    check.tell("types", sorted(rows((r for r in cur.getTypeInfo() if r.type_name in names), "type_name", "data_type", "column_size")))
    check.tell("procedures", len(cur.procedures(procedure="nope").fetchall()))


@check
def values():
    row = (1, 2, 1.5, 0.1, decimal.Decimal("12.50"), "é 漢", "v", True, b"\x00\xff", datetime.date(2024, 2, 29), datetime.time(12, 30), datetime.datetime(2024, 2, 29, 12, 0, 0, 500000),
           datetime.datetime(2024, 2, 29), "12345678-1234-5678-1234-567812345678", None)
    cur.execute("SET timezone = 'UTC'")
    cur.execute("INSERT INTO od_all VALUES (" + ", ".join("?" * 15) + ")", row)
    cur.execute("SELECT * FROM od_all")
    check.tell("columns", [[d[0], d[1].__name__, *d[3:]] for d in cur.description])
    check.tell("row", plain(list(cur.fetchone())))
    cur.fast_executemany = True
    cur.executemany("INSERT INTO od_all (k, s, v) VALUES (?, ?, ?)", [(i, 0, f"v{i}") for i in range(10, 200)])
    check.tell("count", cur.execute("SELECT count(*) FROM od_all WHERE k > ? AND v LIKE ?", (9, "v1%")).fetchone()[0])


@check
def fetch():
    cur.execute("SELECT k FROM od_all ORDER BY k")
    check.tell("some", [len(cur.fetchmany(50)), cur.fetchval(), len(cur.fetchall())])
    declared = pyodbc.connect(conn_string + "UseDeclareFetch=1;Fetch=20;")
    c = declared.cursor()
    check.tell("declared", [r[0] for r in c.execute("SELECT k FROM od_all ORDER BY k LIMIT 70")][-3:])
    declared.close()


@check
def transactions():
    c = pyodbc.connect(conn_string)
    k = c.cursor()
    k.execute("INSERT INTO od_parents VALUES (1, 'kept')")
    try:
        k.execute("INSERT INTO od_parents VALUES (1, 'again')")
    except pyodbc.Error as e:
        check.tell("error", e.args[0])
    k.execute("INSERT INTO od_parents VALUES (2, 'after')")  # psqlODBC sets a savepoint for each statement
    c.commit()
    k.execute("DELETE FROM od_parents")
    c.rollback()
    check.tell("rows", plain([list(r) for r in k.execute("SELECT * FROM od_parents ORDER BY id")]))
    c.close()


@check
def errors():
    for sql in ("SELECT 1/0", "SELECT nope FROM od_all", "SELECT * FROM nope", "INSERT INTO od_parents VALUES (3, NULL)"):
        try:
            cur.execute(sql)
        except pyodbc.Error as e:
            check.tell(sql, e.args[0])


@check
def isql():
    os.environ["ODBCINI"] = "/dev/null"
    done = subprocess.run(["isql", "-k", conn_string, "-b"], input="SELECT 1 AS one\n", capture_output=True, text=True, timeout=60)
    check.tell("said", [line for line in done.stdout.splitlines() if "|" in line])


@check
def drop():
    for s in ("VIEW od_view", "TABLE od_all", "TABLE od_parents"):
        cur.execute("DROP " + s)
