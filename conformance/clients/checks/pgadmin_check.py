"""pgAdmin: the SQL templates of its package, as its browser fills them in for one schema's objects.

All templates that read are rendered; of what PostgreSQL answers, the rows are compared. What
pgAdmin's own Python would put into a template and is not here makes a query that PostgreSQL
refuses too: it is not counted."""
import collections
import os
import re
import zipfile

import jinja2
import psycopg
from checks import Checks

wheel = zipfile.ZipFile(os.environ["PGADMIN_WHEEL"])
check = Checks("pgAdmin", re.search(r"pgadmin4-([0-9.]+)-", os.environ["PGADMIN_WHEEL"])[1])

SCHEMA = """
CREATE SCHEMA pga;
COMMENT ON SCHEMA pga IS 'what pgAdmin shows';
CREATE DOMAIN pga.positive AS integer DEFAULT 1 CHECK (VALUE > 0);
CREATE TYPE pga.mood AS ENUM ('sad', 'ok');
CREATE SEQUENCE pga.plain START WITH 5 INCREMENT BY 2;
CREATE TABLE pga.customers (id integer PRIMARY KEY, name text NOT NULL DEFAULT 'x', m pga.mood, n numeric(10,2), at timestamp with time zone,
  list integer[], up text GENERATED ALWAYS AS (upper(name)) STORED, CONSTRAINT named CHECK (name <> ''));
CREATE TABLE pga.orders (a integer, b integer, customer integer, total numeric(12,2), due interval, CONSTRAINT orders_key PRIMARY KEY (a, b));
ALTER TABLE pga.orders ADD CONSTRAINT of_customer FOREIGN KEY (customer) REFERENCES pga.customers ON DELETE CASCADE NOT VALID;
CREATE UNIQUE INDEX customers_name ON pga.customers (name, lower(name)) INCLUDE (n) WHERE n > 0;
ALTER TABLE pga.customers ADD CONSTRAINT once UNIQUE (n);
COMMENT ON TABLE pga.customers IS 'who they are';
COMMENT ON COLUMN pga.customers.name IS 'in full';
COMMENT ON CONSTRAINT named ON pga.customers IS 'no nameless ones';
CREATE VIEW pga.rich AS SELECT id, name FROM pga.customers WHERE n > 100;
CREATE MATERIALIZED VIEW pga.sums AS SELECT customer, sum(total) AS total FROM pga.orders GROUP BY customer;
CREATE ROLE pga_reader;
GRANT SELECT ON pga.customers TO pga_reader;
GRANT UPDATE (name) ON pga.customers TO pga_reader WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES IN SCHEMA pga GRANT SELECT ON TABLES TO pga_reader;
"""

# Templates that write, and those of servers that are none of PostgreSQL's.
WRITES = re.compile(r"/(create|update|delete|grant|revoke|alter|truncate|enable|disable|refresh|vacuum|insert|exec|drop|rename|set_|detach|"
                    r"attach|validate|cancel|reset|gen|msql|begin|end|reassign|clear|backup|restore|maintenance|change|copy|save|debug|cleanup)[^/]*$")
OTHERS = re.compile(r"ppas|pgd_|/pgd|pga_|gpdb|dbms|edb|synonym|packages|resource_groups|replica|pgagent|debugger|schema_diff|erd|/macros/|directories")
# What changes by itself, or lists all types, languages, locales and the like of a server: only its columns are compared.
MOVING = re.compile(r"stats|activity|locks|prepared|config|statistics|log|variables|/get_(types|collations|languages|access_methods|am|ctypes|icu_locale|"
                    r"op_class|schemas|all_schemas|oid_name|columns|relations)$|edit_mode_types|srcandtrgt|validators|languages|autocomplete|count|databases/sql/properties")
# OIDs below are the catalogs' own, and the same for all.
FIRST_OID = 16384


def versions():
    """The template of each kind that is for PostgreSQL 15: the last one that is not newer."""
    best = {}
    for path in wheel.namelist():
        if "/templates/" not in path or not path.endswith(".sql") or OTHERS.search(path) or WRITES.search(path):
            continue
        name = path.rsplit("/templates/", 1)[1]
        if not (m := re.search(r"(?<=/)(default|\d+_plus)(?=/)", name)):
            continue
        number = 0 if m[1] == "default" else int(m[1][:-5])
        kind = name[:m.start()] + "*" + name[m.end():]
        if number <= 15 and number >= best.get(kind, (-1,))[0]:
            best[kind] = (number, name)
    return {kind: name for kind, (_, name) in sorted(best.items())}


def identifier(conn, *parts):
    parts = [p for p in parts if p]
    return ".".join(p if re.fullmatch(r"[a-z_][a-z0-9_]*", p) else '"' + p.replace('"', '""') + '"' for p in parts)


def literal(value, conn=None, force_quote=False):
    if value is None or isinstance(value, jinja2.Undefined):
        return "NULL"
    if isinstance(value, (int, float)) and not force_quote:
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


sources = {}
for path in wheel.namelist():
    if "/templates/" in path:
        sources.setdefault(path.rsplit("/templates/", 1)[1], path)
env = jinja2.Environment(loader=jinja2.FunctionLoader(lambda name: wheel.read(sources[name]).decode() if name in sources else None),
                         extensions=["jinja2.ext.do", "jinja2.ext.i18n", "jinja2.ext.loopcontrols"])
env.filters.update(qtIdent=identifier, qtTypeIdent=identifier, qtLiteral=literal, hasAny=lambda data, names: any(data.get(n) for n in names))
env.globals.update(_=lambda text: text, gettext=lambda text: text, conn=None, server_type="pg")

conn = psycopg.connect("", autocommit=True)
for statement in filter(str.strip, SCHEMA.split(";\n")):
    conn.execute(statement)


def one(sql):
    return conn.execute(sql).fetchone()[0]


table, order = one("SELECT 'pga.customers'::regclass::oid"), one("SELECT 'pga.orders'::regclass::oid")
BASE = {
    "scid": one("SELECT 'pga'::regnamespace::oid"), "schema": "pga", "schema_name": "pga", "nspname": "pga", "did": one("SELECT oid FROM pg_database WHERE datname = current_database()"),
    "tid": table, "table": "customers", "datlastsysoid": 16383, "lastsysoid": 16383, "last_system_oid": 16383, "show_sysobj": False, "showsysobj": False,
    "show_system_objects": False, "vid": one("SELECT 'pga.rich'::regclass::oid"), "seid": one("SELECT 'pga.plain'::regclass::oid"),
    "rid": one("SELECT oid FROM pg_roles WHERE rolname = 'pga_reader'"), "doid": one("SELECT 'pga.positive'::regtype::oid"),
    "idx": one("SELECT 'pga.customers_name'::regclass::oid"), "tsid": 1663, "dr_id": one("SELECT 'pga'::regnamespace::oid"), "exid": 0, "conntype": "u",
    "fnid": one("SELECT 'lower(text)'::regprocedure::oid"), "coid": one("SELECT oid FROM pg_collation WHERE collname = 'C'"), "data": {}, "type_ids": "23,25",
    "catalog": "pg_catalog", "name": "customers", "constraint_type": "p", "is_view": False, "db_restrictions": None, "where": "", "where_clause": "",
}
KINDS = {
    "mviews": {"vid": one("SELECT 'pga.sums'::regclass::oid")},
    "columns": {"clid": 2, "has_oids": False},
    "check_constraint": {"cid": one("SELECT oid FROM pg_constraint WHERE conname = 'named'")},
    "foreign_key": {"tid": order, "cid": one("SELECT oid FROM pg_constraint WHERE conname = 'of_customer'"), "colcnt": 1},
    "index_constraint": {"cid": one("SELECT conindid FROM pg_constraint WHERE conname = 'once'"), "colcnt": 1, "constraint_type": "u"},
    "types": {"tid": one("SELECT 'pga.mood'::regtype::oid")},
    "casts": {"cid": None}, "roles": {"rid": BASE["rid"]}, "rules": {"rid": None, "tid": BASE["vid"]},
    "domain_constraints": {"cid": None}, "catalog": {"scid": 11}, "catalog_object": {"scid": 11},
}


def shown(value, key=""):
    """A value as both servers show it: objects of users are numbered by each in its own way."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "an oid" if value >= FIRST_OID or key in ("relowner", "owner", "did") else value
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    return re.sub(r"\b(?:[1-9]\d{4,})\b", "an oid", str(value)) if value is not None else None


kinds = collections.defaultdict(list)
for kind, name in versions().items():
    kinds[kind.split("/")[0]].append((kind, name))

for group, templates in kinds.items():
    for kind, name in templates:
        def run(kind=kind, name=name, group=group):
            sql = env.get_template(name).render({**BASE, **KINDS.get(group, {})})
            if not sql.strip():
                raise ValueError("nothing to ask")
            cur = conn.execute(sql)
            while cur.nextset():
                pass
            if cur.description is None:
                return
            check.tell("columns", [(d.name, d.type_code if d.type_code < FIRST_OID else "a type") for d in cur.description])
            if not MOVING.search(kind.removesuffix(".sql")):
                rows = [[shown(v, d.name) for v, d in zip(row, cur.description)] for row in cur.fetchall()]
                check.tell("rows", rows if "ORDER BY" in sql.upper() else sorted(rows, key=repr))
        run.__name__ = kind.replace("/*/", "/").removesuffix(".sql")
        check(run)

conn.execute("DROP SCHEMA pga CASCADE")
conn.execute("DROP OWNED BY pga_reader")
conn.execute("DROP ROLE pga_reader")
