"""pgcli: what it asks to complete names, and its special commands, by its own executor."""
import os
from importlib.metadata import version

from checks import Checks
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial

check = Checks("pgcli", version("pgcli"))
ex = PGExecute(os.environ["PGDATABASE"], os.environ["PGUSER"], "", os.environ["PGHOST"], int(os.environ["PGPORT"]), "")
SCHEMA = """CREATE SCHEMA pc; CREATE TYPE pc.mood AS ENUM ('sad', 'ok');
CREATE TABLE pc.parents (id integer PRIMARY KEY, name varchar(20) NOT NULL DEFAULT 'x', m pc.mood);
CREATE TABLE pc.children (id bigint PRIMARY KEY, parent integer, total numeric(10,2), list text[]);
ALTER TABLE pc.children ADD CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES pc.parents NOT VALID;
CREATE INDEX by_parent ON pc.children (parent); CREATE VIEW pc.v AS SELECT id, name FROM pc.parents;
CREATE MATERIALIZED VIEW pc.mv AS SELECT parent, count(*) AS n FROM pc.children GROUP BY parent; CREATE SEQUENCE pc.s"""


def own(rows):
    return sorted(str(r) for r in rows if r and str(r[0]) == "pc")


@check
def make():
    for statement in SCHEMA.split(";"):
        list(ex.run(statement))


@check
def complete():
    check.tell("search path", ex.search_path())
    check.tell("schemata", [s for s in ex.schemata() if s in ("pc", "public", "pg_catalog", "information_schema")])
    check.tell("tables", own(ex.tables()))
    check.tell("views", own(ex.views()))
    check.tell("table columns", own(ex.table_columns()))
    check.tell("view columns", own(ex.view_columns()))
    check.tell("foreign keys", sorted(str(k) for k in ex.foreignkeys() if k.parentschema == "pc"))
    check.tell("types", own(ex.datatypes()))
    check.tell("functions", sum(1 for _ in ex.functions()) > 100)
    check.tell("databases", "saltsql" in ex.databases())
    check.tell("casing", sorted(set(ex.casing())) is not None)
    check.tell("socket", ex.get_socket_directory() is not None)


for command in (r"\dt pc.*", r"\d pc.parents", r"\d pc.children", r"\d+ pc.v", r"\di pc.*", r"\dv pc.*", r"\dm pc.*", r"\ds pc.*", r"\dT pc.*", r"\dn pc", r"\du saltsql",
                r"\df lower", r"\l saltsql", r"\dx nope", r"\db", r"\dp pc.*", r"\ddp", r"\dD pc.*", r"\sf nope"):
    def run(command=command):
        special = PGSpecial()
        cur = ex.conn.cursor()
        for title, rows, headers, status in special.execute(cur, command):
            rows = [list(map(str, r)) for r in rows] if rows is not None and not isinstance(rows, str) else rows
            check.tell(str(title), [rows, headers, status])
    run.__name__ = command
    check(run)


@check
def statements():
    for title, rows, headers, status, sql, good, _ in ex.run("SELECT 1 AS a; SELECT 'x' AS b UNION SELECT 'y' ORDER BY 1; SHOW search_path"):
        check.tell(sql, [[list(r) for r in rows] if rows else None, headers, good])
    check.tell("pid", ex.pid > 0)


@check
def drop():
    list(ex.run("DROP SCHEMA pc CASCADE"))
