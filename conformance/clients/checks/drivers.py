"""What the checks of Python drivers have in common: values of every type, and where they go."""
import datetime
import decimal
import uuid

UTC = datetime.timezone.utc
# name, declaration, values; NULL is tried with each.
TYPES = [
    ("smallint", "smallint", [0, -32768, 32767]),
    ("integer", "integer", [0, -2147483648, 2147483647]),
    ("bigint", "bigint", [0, -2**63, 2**63 - 1]),
    ("real", "real", [0.0, 1.5, -3.25]),
    ("double precision", "double precision", [0.1, 1e300, float("inf")]),
    ("numeric", "numeric", [decimal.Decimal("0"), decimal.Decimal("-12345678901234567890.0001"), decimal.Decimal("1e40")]),
    ("numeric(10,2)", "numeric(10,2)", [decimal.Decimal("1.50"), decimal.Decimal("-99999999.99")]),
    ("text", "text", ["", "é 漢 \\ ' \"", "x" * 5000]),
    ("varchar", "varchar(5)", ["abcde", "é"]),
    ("char", "char(5)", ["abcde", "é    "]),
    ("bytea", "bytea", [b"", b"\x00\xff\\'", b"\x01" * 3000]),
    ("boolean", "boolean", [True, False]),
    ("date", "date", [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31)]),
    ("time", "time", [datetime.time(0), datetime.time(23, 59, 59, 999999)]),
    ("timestamp", "timestamp", [datetime.datetime(2024, 2, 29, 12, 0, 0, 1), datetime.datetime(1, 1, 1)]),
    ("timestamptz", "timestamptz", [datetime.datetime(2024, 2, 29, 12, 0, 0, 1, UTC)]),
    ("interval", "interval", [datetime.timedelta(0), datetime.timedelta(days=3, seconds=7, microseconds=5), datetime.timedelta(days=-1)]),
    ("uuid", "uuid", [uuid.UUID(int=0), uuid.UUID("12345678-1234-5678-1234-567812345678")]),
    ("integer[]", "integer[]", [[], [1, 2], [None, 3], [[1, 2], [3, 4]]]),
    ("text[]", "text[]", [["a", "", 'q"\\', None, "NULL"]]),
    ("numeric[]", "numeric[]", [[decimal.Decimal("1.50"), None]]),
    ("timestamptz[]", "timestamptz[]", [[datetime.datetime(2024, 2, 29, tzinfo=UTC)]]),
]
# Types that few tables have.
RARE = ["inet", "cidr", "macaddr", "money", "bit(3)", "varbit", "int4range", "tstzrange", "point", "xml", "tsvector", "timetz", "hstore", "jsonb", "json",
        "jsonpath", "oid", "name", "regclass", "pg_lsn"]


def plain(value):
    """A value as JSON can say it."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return bytes(value).hex() if isinstance(value, (bytes, memoryview, bytearray)) else str(value)
