package catalog

// Extension is an extension: a set of what is built in, by the name that PostgreSQL's CREATE
// EXTENSION has for it.
type Extension struct{ Name, Version, Schema, Comment string }

// Extensions are all there are, by name. Each is always there, with its functions in pg_catalog.
var Extensions = []Extension{
	{"pg_stat_statements", "1.10", "pg_catalog", "track planning and execution statistics of all SQL statements executed"},
	{"pgcrypto", "1.3", "pg_catalog", "cryptographic functions"},
	{"plpgsql", "1.0", "pg_catalog", "PL/pgSQL procedural language"},
	{"saltsql", "1.0", "saltsql", "relations that show salts, storage and statements"},
	{"uuid-ossp", "1.1", "pg_catalog", "generate universally unique identifiers (UUIDs)"},
}

// ExtensionNamed finds an extension; nil if there is none of that name.
func ExtensionNamed(name string) *Extension {
	for i := range Extensions {
		if Extensions[i].Name == name {
			return &Extensions[i]
		}
	}
	return nil
}
