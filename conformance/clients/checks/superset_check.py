"""Superset, installed for real, over its REST API: a database, what it finds there, a dataset, charts, SQL Lab.

What Superset keeps of its own is in a SQLite file. It reaches the server by SQLAlchemy and psycopg 2."""
import json
import logging
import os
import sys
import tempfile
from importlib.metadata import version

from checks import Checks

home = tempfile.mkdtemp()
with open(home + "/superset_config.py", "w") as f:
    f.write(f"""
SECRET_KEY = "a key for a test that nobody else reads"
SQLALCHEMY_DATABASE_URI = "sqlite:///{home}/own.db?check_same_thread=false"
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
RATELIMIT_ENABLED = False
AUTH_RATE_LIMITED = False
SQLLAB_CTAS_NO_LIMIT = True
FILTER_STATE_CACHE_CONFIG = EXPLORE_FORM_DATA_CACHE_CONFIG = CACHE_CONFIG = DATA_CACHE_CONFIG = {{"CACHE_TYPE": "SimpleCache"}}
""")
os.environ["SUPERSET_HOME"], os.environ["SUPERSET_CONFIG_PATH"] = home, home + "/superset_config.py"
logging.disable(logging.CRITICAL)
sys.stdout = sys.stderr  # what Superset prints is no check
from superset.app import create_app  # noqa: E402

app = create_app()
context = app.app_context()
context.push()
from flask_appbuilder import Model  # noqa: E402
from superset import db, security_manager  # noqa: E402
from superset.models.core import Database  # noqa: E402

Model.metadata.create_all(db.engine)
app.appbuilder.add_permissions(update_perms=True)
security_manager.sync_role_definitions()
security_manager.add_user("admin", "a", "b", "admin@example.org", security_manager.find_role("Admin"), password="admin")
db.session.commit()
context.pop()  # each request has its own
client = app.test_client()
check = Checks("Superset", version("apache-superset"))
URI = f"postgresql+psycopg2://{os.environ['PGUSER']}@{os.environ['PGHOST']}:{os.environ['PGPORT']}/{os.environ['PGDATABASE']}"
headers, made = {}, {}


def api(method, path, body=None, **query):
    r = getattr(client, method)("/api/v1/" + path, json=body, query_string=query, headers=headers)
    answer = r.get_json(silent=True) or {}
    if r.status_code >= 400:
        raise RuntimeError(f"{path}: {r.status_code} {json.dumps(answer)[:600]}")
    return answer


def sql(text, **more):
    answer = api("post", "sqllab/execute/", {"database_id": made["database"], "sql": text, "schema": "sp", "runAsync": False, "client_id": os.urandom(5).hex(), **more})
    if answer.get("status") not in (None, "success"):
        raise RuntimeError(str(answer)[:400])
    return answer


@check
def login():
    headers["Authorization"] = "Bearer " + api("post", "security/login", {"username": "admin", "password": "admin", "provider": "db"})["access_token"]


@check
def database():
    api("post", "database/test_connection/", {"database_name": "it", "sqlalchemy_uri": URI})
    made["database"] = api("post", "database/", {"database_name": "it", "sqlalchemy_uri": URI, "expose_in_sqllab": True, "allow_dml": True, "allow_ctas": True, "allow_cvas": True,
                                                 "allow_run_async": False, "allow_file_upload": True})["id"]


@check
def make():
    for text in ("CREATE SCHEMA sp", "CREATE TABLE sp.sales (id integer PRIMARY KEY, region text, at timestamp, amount numeric(10,2), units integer, ok boolean, tags text[], extra jsonb)",
                 "INSERT INTO sp.sales SELECT i, (ARRAY['north', 'south', 'west'])[1 + i % 3], timestamp '2024-01-01' + i * interval '7 hours', i * 1.25, i % 9, i % 2 = 0,"
                 " ARRAY['a', 't' || i % 4], jsonb_build_object('n', i) FROM generate_series(1, 400) i",
                 "COMMENT ON TABLE sp.sales IS 'what was sold'", "COMMENT ON COLUMN sp.sales.region IS 'where'", "CREATE VIEW sp.big AS SELECT * FROM sp.sales WHERE amount > 400",
                 "CREATE INDEX by_region ON sp.sales (region)", "CREATE MATERIALIZED VIEW sp.sums AS SELECT region, sum(amount) AS total FROM sp.sales GROUP BY region"):
        sql(text)


@check
def browse():
    n = made["database"]
    check.tell("schemas", sorted(s for s in api("get", f"database/{n}/schemas/", q="(force:!t)")["result"] if s in ("sp", "public", "information_schema")))
    check.tell("catalogs", api("get", f"database/{n}/catalogs/", q="(force:!t)")["result"])
    check.tell("tables", sorted([t["value"], t["type"]] for t in api("get", f"database/{n}/tables/", q="(force:!t,schema_name:sp)")["result"]))
    check.tell("metadata", api("get", f"database/{n}/table_metadata/", name="sales", schema="sp"))
    check.tell("functions", "lower" in api("get", f"database/{n}/function_names/")["function_names"])
    check.tell("select star", api("get", f"database/{n}/select_star/sales/sp/")["result"])
    check.tell("validate", api("post", f"database/{n}/validate_sql/", {"sql": "SELECT nope FROM sp.sales", "schema": "sp"})["result"] is not None)


@check
def dataset():
    made["dataset"] = api("post", "dataset/", {"database": made["database"], "schema": "sp", "table_name": "sales"})["id"]
    found = api("get", f"dataset/{made['dataset']}")["result"]
    check.tell("columns", [[c["column_name"], c["type"], c["is_dttm"], c["groupby"]] for c in found["columns"]])
    check.tell("metrics", [m["expression"] for m in found["metrics"]])
    virtual = api("post", "dataset/", {"database": made["database"], "schema": "sp", "table_name": "virtual", "sql": "SELECT region, amount * 2 AS double FROM sp.sales"})["id"]
    check.tell("virtual", [[c["column_name"], c["type"]] for c in api("get", f"dataset/{virtual}")["result"]["columns"]])


def chart(**query):
    form = {"datasource": {"id": made["dataset"], "type": "table"}, "result_format": "json", "result_type": "full", "force": True, "queries": [{"row_limit": 100, **query}]}
    found = api("post", "chart/data", form)["result"][0]
    check.tell("columns", [found["colnames"], found["coltypes"]])
    check.tell("rows", found["data"])
    check.tell("query", found["query"])


SUM = {"expressionType": "SIMPLE", "column": {"column_name": "amount"}, "aggregate": "SUM", "label": "total"}


@check
def chart_bar():
    chart(columns=["region"], metrics=[SUM, "count"], orderby=[[SUM, False]], filters=[{"col": "units", "op": ">", "val": 2}, {"col": "region", "op": "IN", "val": ["north", "west"]}])


for grain in ("PT1H", "P1D", "P1W", "P1M", "P3M", "P1Y"):
    def run(grain=grain):
        axis = {"label": "at", "sqlExpression": "at", "expressionType": "SQL", "columnType": "BASE_AXIS", "timeGrain": grain}
        chart(columns=[axis], metrics=[SUM], orderby=[["total", True]], granularity="at", time_range="2024-01-05 : 2024-03-05")
    run.__name__ = "chart by " + grain
    check(run)


@check
def chart_table():
    chart(columns=["id", "region", "at", "amount", "ok"], orderby=[["id", True]], filters=[{"col": "region", "op": "ILIKE", "val": "NO%"}, {"col": "ok", "op": "==", "val": True}], row_limit=7, row_offset=3)


@check
def chart_series():
    chart(columns=["region", "units"], metrics=[SUM], series_columns=["region"], series_limit=2, series_limit_metric=SUM, orderby=[[SUM, False]])


@check
def chart_percentiles():
    chart(columns=["region"], metrics=[{"expressionType": "SQL", "sqlExpression": "percentile_cont(0.5) WITHIN GROUP (ORDER BY amount)", "label": "median"},
                                       {"expressionType": "SIMPLE", "column": {"column_name": "units"}, "aggregate": "COUNT_DISTINCT", "label": "kinds"}], orderby=[["median", True]])


@check
def chart_samples():
    found = api("post", "chart/data", {"datasource": {"id": made["dataset"], "type": "table"}, "result_type": "samples", "force": True, "queries": [{"row_limit": 3, "orderby": [["id", True]]}]})["result"][0]
    check.tell("rows", len(found["data"]))


@check
def filter_values():
    r = client.get(f"/api/v1/datasource/table/{made['dataset']}/column/region/values/", headers=headers)
    check.tell("values", sorted(r.get_json()["result"]))


@check
def sql_lab():
    for text in ("SELECT * FROM sales ORDER BY id LIMIT 3", "SELECT region, count(*) AS n FROM sp.sales GROUP BY 1 ORDER BY 1", "WITH x AS (SELECT 1 AS a) SELECT a, NULL AS b, 'é' AS c FROM x",
                 "SELECT tags, extra, interval '1 day' AS i, '12345678-1234-5678-1234-567812345678'::uuid AS u FROM sales ORDER BY id LIMIT 2", "SHOW search_path"):
        found = sql(text)
        check.tell(text, [[[c["column_name"], c["type"]] for c in found["columns"]], found["data"]])


@check
def sql_lab_errors():
    for text in ("SELECT nope FROM sales", "SELECT * FROM nope", "SELEC 1"):
        try:
            sql(text)
        except RuntimeError as e:
            check.tell(text, "nope" in str(e) or "SELEC" in str(e))


@check
def sql_lab_create():
    sql("SELECT region, sum(amount) AS total FROM sales GROUP BY region", select_as_cta=True, tmp_table_name="kept", ctas_method="TABLE")
    sql("SELECT region FROM sales WHERE units = 1", select_as_cta=True, tmp_table_name="seen", ctas_method="VIEW")
    check.tell("rows", [sql("SELECT * FROM sp.kept ORDER BY 1")["data"], sql("SELECT count(*) FROM sp.seen")["data"]])


@check
def estimate():
    check.tell("cost", len(api("post", "sqllab/estimate/", {"database_id": made["database"], "sql": "SELECT * FROM sp.sales", "schema": "sp"})["result"]))


@check
def drop():
    sql("DROP SCHEMA sp CASCADE")
