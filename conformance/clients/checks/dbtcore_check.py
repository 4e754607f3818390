"""dbt-postgres: a project of seeds, models of all kinds, a snapshot, tests and docs, by dbt itself.

The name of this file must not begin with dbt_: dbt would take it for a plugin, and run it again."""
import csv
import json
import os
import pathlib
import shutil
import sys
import tempfile
from importlib.metadata import version

import psycopg2
from checks import Checks
from dbt.cli.main import dbtRunner

check = Checks("dbt-postgres", version("dbt-postgres"))
work = pathlib.Path(tempfile.mkdtemp())
FILES = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\nseed-paths: [seeds]\nsnapshot-paths: [snapshots]\nflags:\n  send_anonymous_usage_stats: false\n",
    "profiles.yml": f"""shop:
  target: dev
  outputs:
    dev:
      type: postgres
      host: {os.environ['PGHOST']}
      port: {os.environ['PGPORT']}
      user: {os.environ['PGUSER']}
      password: x
      dbname: {os.environ['PGDATABASE']}
      schema: dbt_shop
      threads: 2
""",
    "models/orders_view.sql": "{{ config(materialized='view') }} select id, customer, amount, at::date as day from {{ ref('orders') }}",
    "models/by_customer.sql": "{{ config(materialized='table', indexes=[{'columns': ['customer'], 'unique': true}]) }} select customer, sum(amount) as total, count(*) as n from {{ ref('orders_view') }} group by customer",
    "models/grown.sql": "{{ config(materialized='incremental', unique_key='id') }} select id, customer, amount from {{ ref('orders') }} {% if is_incremental() %} where id > (select max(id) - 2 from {{ this }}) {% endif %}",
    "models/merged.sql": "{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }} select id, amount from {{ ref('orders') }}",
    "models/kept.sql": "{{ config(materialized='materialized_view') }} select customer, max(amount) as top from {{ ref('orders') }} group by customer",
    "models/within.sql": "{{ config(materialized='ephemeral') }} select * from {{ ref('orders') }} where amount > 3",
    "models/big_ones.sql": "{{ config(materialized='table') }} select customer, count(*) as n from {{ ref('within') }} group by 1",
    "models/contracted.sql": "{{ config(materialized='table', contract={'enforced': true}) }} select id, customer from {{ ref('orders') }}",
    "models/schema.yml": """version: 2
models:
  - name: orders_view
    description: orders with days
    config: {persist_docs: {relation: true, columns: true}}
    columns:
      - {name: id, description: the key, data_tests: [unique, not_null]}
      - {name: customer, data_tests: [{accepted_values: {values: [ann, bob, cid]}}, {relationships: {to: ref('by_customer'), field: customer}}]}
  - name: contracted
    columns:
      - {name: id, data_type: integer, constraints: [{type: not_null}, {type: primary_key}]}
      - {name: customer, data_type: text}
""",
    "snapshots/orders_history.sql": "{% snapshot orders_history %}{{ config(target_schema='dbt_shop', unique_key='id', strategy='check', check_cols=['amount']) }} select * from {{ ref('orders') }}{% endsnapshot %}",
}
for name, text in FILES.items():
    (work / name).parent.mkdir(exist_ok=True)
    (work / name).write_text(text)


def seed(rows):
    (work / "seeds").mkdir(exist_ok=True)
    with open(work / "seeds/orders.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["id", "customer", "amount", "at"])
        out.writerows([i, ["ann", "bob", "cid"][i % 3], i / 2, f"2024-01-{1 + i % 28:02} 12:00:00"] for i in range(rows))


seed(12)
os.chdir(work)
sys.stdout = sys.stderr  # what dbt prints is no check
conn = psycopg2.connect("")
conn.autocommit = True
cur = conn.cursor()


def rows(sql):
    cur.execute(sql)
    return [[str(v) for v in r] for r in cur.fetchall()]


def dbt(*args):
    """One command of dbt, in this process: to start another takes longer than the command."""
    done = dbtRunner().invoke(["--quiet", "--no-use-colors", *args, "--project-dir", str(work), "--profiles-dir", str(work)])
    if done.exception:
        raise done.exception
    found = getattr(done.result, "results", None) or []
    bad = [r.message for r in found if str(r.status) not in ("success", "pass", "skipped")]
    if bad or not done.success:
        raise RuntimeError((bad or [str(done.result)])[0])
    check.tell(" ".join(args), sorted([r.node.unique_id.split(".")[2], str(r.status)] for r in found if hasattr(r, "node")))


@check
def debug():
    dbt("debug", "--connection")


@check
def seeds():
    dbt("seed")
    check.tell("rows", rows("SELECT count(*), sum(amount) FROM dbt_shop.orders"))


for model in ("orders_view", "by_customer", "grown", "merged", "kept", "big_ones", "contracted"):
    def run(model=model):
        dbt("run", "--select", model)
        check.tell("rows", rows(f"SELECT * FROM dbt_shop.{model} ORDER BY 1"))
    run.__name__ = "run " + model
    check(run)


@check
def comments():
    check.tell("docs", rows("SELECT obj_description('dbt_shop.orders_view'::regclass), col_description('dbt_shop.orders_view'::regclass, 1)"))


@check
def snapshot():
    dbt("snapshot")
    check.tell("rows", rows("SELECT count(*), count(dbt_valid_to) FROM dbt_shop.orders_history"))


@check
def test():
    dbt("test")


@check
def again():
    seed(15)
    dbt("seed")
    for model in ("orders_view", "by_customer", "grown", "merged", "kept", "big_ones", "contracted"):
        dbt("run", "--select", model)
        check.tell(model, rows(f"SELECT * FROM dbt_shop.{model} ORDER BY 1"))
    dbt("snapshot")
    check.tell("snapshot", rows("SELECT count(*), count(dbt_valid_to) FROM dbt_shop.orders_history"))


@check
def full_refresh():
    dbt("run", "--full-refresh")
    check.tell("rows", rows("SELECT count(*) FROM dbt_shop.grown"))


@check
def catalog():
    dbt("docs", "generate")
    nodes = json.loads((work / "target/catalog.json").read_text())["nodes"]
    check.tell("nodes", {k: [n["metadata"]["type"], n["metadata"]["comment"], n["metadata"]["owner"], [[c["name"], c["type"], c["index"], c["comment"]] for c in n["columns"].values()]]
                         for k, n in sorted(nodes.items())})


@check
def drop():
    cur.execute("DROP SCHEMA dbt_shop CASCADE")
    cur.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'dbt_shop'")
    check.tell("left", cur.fetchall())


os.chdir("/")
shutil.rmtree(work)
