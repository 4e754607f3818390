"""Writes arrow.parquet, a file of another maker: python3 make.py, with pyarrow installed."""
import datetime as d
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

D = decimal.Decimal
at = d.datetime(1969, 12, 31, 23, 59, 59, 999999)
columns = [
    ("i8", pa.int8(), [1, None, -128]),
    ("i64", pa.int64(), [2**63 - 1, None, -(2**63)]),
    ("u32", pa.uint32(), [2**32 - 1, None, 0]),
    ("u64", pa.uint64(), [2**64 - 1, None, 0]),
    ("f", pa.float32(), [1.5, None, float("inf")]),
    ("d", pa.float64(), [0.1, None, float("nan")]),
    ("b", pa.bool_(), [True, None, False]),
    ("s", pa.string(), ['a,"b"', None, ""]),
    ("x", pa.binary(), [b"\x00\xff", None, b""]),
    ("day", pa.date32(), [d.date(2024, 2, 29), None, d.date(1, 1, 1)]),
    ("clock", pa.time64("us"), [d.time(23, 59, 59, 5), None, d.time(0, 0)]),
    ("ms", pa.timestamp("ms"), [d.datetime(2024, 2, 29, 1, 2, 3, 400000), None, at.replace(microsecond=999000)]),
    ("utc", pa.timestamp("us", tz="UTC"), [at, None, d.datetime(9999, 12, 31)]),
    ("n9", pa.decimal128(9, 2), [D("-0.05"), None, D("1234567.89")]),
    ("n38", pa.decimal128(38, 10), [D("-1234567890123456789012345678.0123456789"), None, D(0)]),
    ("l", pa.list_(pa.int32()), [[1, None, 3], None, []]),
    ("ls", pa.list_(pa.string()), [['a"', "\\", None, "NULL", ""], None, ["x"]]),
    ("dict", pa.dictionary(pa.int8(), pa.string()), ["red", None, "red"]),
]
table = pa.table({name: pa.array(values, type) for name, type, values in columns})
pq.write_table(table, "arrow.parquet", compression="zstd")
