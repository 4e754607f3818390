"""Makes docs/clients.md of what the checks have printed on PostgreSQL and on saltsql."""
import json
import pathlib
import re
import sys


def checks(folder, name):
    lines = (pathlib.Path(folder) / name).read_text().splitlines()
    return {c["check"]: c for c in map(json.loads, (line for line in lines if line.startswith("{")))}


def cell(text):
    """One line of a table: the error and its hint, without the statement."""
    parts = [p for p in text.splitlines() if not re.match(r"\s*(LINE \d+:|\^|$)", p)]
    text = " ".join(p.strip() for p in parts)
    if len(text) > 300:
        text = "… " + text[-298:]
    return text.replace("|", "\\|").replace("<", "&lt;")


def differences(path, a, b):
    """Where what was seen differs, with both values."""
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted(set(a) | set(b)):
            yield from differences(f"{path}.{k}" if path else k, a.get(k), b.get(k))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(f"{path}[{i}]", x, y)
    elif a != b:
        yield f"{path}: `{json.dumps(b)[:80]}`, in PostgreSQL `{json.dumps(a)[:80]}`"


rows, failures = [], []
for file in sorted(p.name for p in pathlib.Path(sys.argv[1]).iterdir()):
    postgres, salted = checks(sys.argv[1], file), checks(sys.argv[2], file)
    asked = {name: c for name, c in postgres.items() if c["ok"]}
    if not asked:
        sys.exit(f"no check of {file} has passed on PostgreSQL")
    client, version = next((c["client"], c["version"]) for c in asked.values())
    passed = 0
    for name, want in asked.items():
        got = salted.get(name, {"ok": False, "why": "not reached", "saw": {}})
        if not got["ok"]:
            failures.append((client, name, cell(got["why"])))
            continue
        differ = list(differences("", want["saw"], got["saw"]))
        if differ:
            failures.append((client, name, "other answers: " + cell("; ".join(differ[:3]))))
        passed += not differ
    rows.append((client, version, passed, len(asked)))

print("""# Clients

What these programs do on saltsql, beside PostgreSQL with every answer compared. Drivers send and read values of every
type in each of their ways, with cursors, COPY, pipelines, notifications, cancelled statements and the fields of
errors. ORMs make the schema of a small application by their own migrations or models, look at it in the catalogs,
write, query, change the schema and drop it. Tools ask what they ask: pgAdmin's queries are the templates of its
package, dbt builds a project, Superset is installed and asked over its REST API. `conformance/clients/all` runs
them and writes this page; what PostgreSQL does not answer itself is not counted. psql, psycopg, asyncpg, SQLAlchemy,
node-postgres and pgjdbc are also run by `conformance/clients/run` for every change.

| Client | Version | Checks passed |
|---|---|---|""")
for client, version, passed, of in sorted(rows):
    print(f"| {client} | {version} | {passed} of {of} |")
print("""
## What does not work, and why

| Client | Check | Why |
|---|---|---|""")
for client, name, why in failures:
    print(f"| {client} | {name} | {why} |")
