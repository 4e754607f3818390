"""pandas: frames written and read back through SQLAlchemy, and rows through COPY."""
import csv
import io

import numpy as np
import pandas as pd
import sqlalchemy as sa
from checks import Checks

check = Checks("pandas", pd.__version__)
engine = sa.create_engine("postgresql+psycopg://")
frame = pd.DataFrame({
    "i": np.arange(1000, dtype="int64"), "small": np.arange(1000, dtype="int16") % 7, "f": np.arange(1000) / 8, "s": [f"row {i}" for i in range(1000)],
    "b": [i % 3 == 0 for i in range(1000)], "at": pd.date_range("2024-01-01", periods=1000, freq="h"), "utc": pd.date_range("2024-01-01", periods=1000, freq="h", tz="UTC"),
    "day": [d.date() for d in pd.date_range("2024-01-01", periods=1000)], "nothing": [None if i % 2 else "x" for i in range(1000)],
    "maybe": pd.array([None if i % 5 == 0 else i for i in range(1000)], dtype="Int64"), "kind": pd.Categorical([["a", "b"][i % 2] for i in range(1000)]),
    "span": pd.to_timedelta(np.arange(1000), unit="s").astype("int64")})


def shape(f):
    return {c: [str(f[c].dtype), [str(v) for v in f[c].head(4)]] for c in f.columns}


@check
def to_sql():
    check.tell("rows", frame.to_sql("pd_plain", engine, index=False))
    check.tell("again", frame.head(10).to_sql("pd_plain", engine, if_exists="replace", index=True, index_label="n"))
    check.tell("append", frame.iloc[10:20].to_sql("pd_plain", engine, if_exists="append", index=True, index_label="n"))
    try:
        frame.to_sql("pd_plain", engine)
    except ValueError as e:
        check.tell("there", str(e))


@check
def to_sql_many():
    check.tell("rows", frame.to_sql("pd_many", engine, if_exists="replace", index=False, method="multi", chunksize=300, dtype={"f": sa.Numeric(12, 4), "s": sa.String(40)}))


@check
def to_sql_copy():
    def insert(table, conn, keys, rows):
        out = io.StringIO()
        csv.writer(out).writerows(rows)
        with conn.connection.cursor() as cur, cur.copy(f"COPY {table.name} ({', '.join(keys)}) FROM STDIN (FORMAT csv)") as copy:
            copy.write(out.getvalue())
    frame.to_sql("pd_copy", engine, if_exists="replace", index=False, method=insert)
    check.tell("rows", int(pd.read_sql_query("SELECT count(*) AS n FROM pd_copy", engine)["n"][0]))


@check
def read_table():
    check.tell("plain", shape(pd.read_sql_table("pd_plain", engine, index_col="n").sort_index()))
    check.tell("many", shape(pd.read_sql_table("pd_many", engine, columns=["i", "f", "s"]).sort_values("i")))


@check
def read_query():
    q = sa.text("SELECT small, count(*) AS n, avg(f) AS mean, max(at) AS last, min(day) AS first FROM pd_copy WHERE b = :b GROUP BY small ORDER BY small")
    check.tell("grouped", shape(pd.read_sql_query(q, engine, params={"b": True}, parse_dates=["first"])))
    with engine.connect().execution_options(stream_results=True) as conn:
        check.tell("chunks", [len(c) for c in pd.read_sql_query("SELECT * FROM pd_copy", conn, chunksize=128)])


@check
def merged():
    kinds = pd.DataFrame({"kind": ["a", "b"], "label": ["first", "second"]})
    kinds.to_sql("pd_kinds", engine, if_exists="replace", index=False)
    check.tell("joined", shape(pd.read_sql("SELECT k.label, sum(p.i) AS total FROM pd_copy p JOIN pd_kinds k USING (kind) GROUP BY k.label ORDER BY 1", engine)))


@check
def drop():
    with engine.begin() as c:
        for t in ("pd_plain", "pd_many", "pd_copy", "pd_kinds"):
            c.exec_driver_sql(f"DROP TABLE IF EXISTS {t}")
    check.tell("left", [t for t in sa.inspect(engine).get_table_names() if t.startswith("pd_")])
