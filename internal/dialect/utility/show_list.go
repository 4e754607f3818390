package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/translate"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Lists that are asked for by a word are queries over catalogs: with their rights, and with
// types.

const showSessions = `SELECT pid, usename AS "user", application_name AS application, client_addr AS client, state,
	CASE WHEN state = 'active' THEN pg_catalog.clock_timestamp() - query_start END AS running, xact_start AS transaction, query, server
	FROM saltsql.sessions ORDER BY backend_start, pid`

// Phoenix's SHOW TABLES and SHOW SCHEMAS, without those of the system.
const (
	showTables = `SELECT table_schema AS table_schem, table_name, CASE table_type WHEN 'BASE TABLE' THEN 'TABLE' ELSE table_type END AS table_type
	FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'saltsql')`
	showSchemas = `SELECT nspname AS table_schem FROM pg_catalog.pg_namespace WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'saltsql', 'phoenix') AND nspname NOT LIKE 'pg\_%'`
)

// list reads SHOW SESSIONS, SHOW TABLES [IN schema] [LIKE pattern] or SHOW SCHEMAS [LIKE
// pattern]; ok is false, and nothing read, for any other statement.
func (p reader) list() (d tree.DML, ok bool) {
	if !p.Word("show") || p.Peek(2).Kind == lex.Dot {
		return nil, false
	}
	switch {
	case p.WordAt(1, "sessions"):
		p.At += 2
		return p.query(showSessions), true
	case p.WordAt(1, "tables"):
		p.At += 2
		text := showTables
		if p.Accept(lex.KIn) {
			text += " AND table_schema = " + quoted(p.ColID())
		}
		return p.query(text + p.like("table_name") + " ORDER BY 1, 2"), true
	case p.WordAt(1, "schemas"):
		p.At += 2
		return p.query(showSchemas + p.like("nspname") + " ORDER BY 1"), true
	}
	return nil, false
}

// like reads [LIKE pattern], where Phoenix's names in capitals are those in small letters.
func (p reader) like(column string) string {
	if !p.Accept(lex.KLike) {
		return ""
	}
	return " AND " + column + " ILIKE " + quoted(p.StringConst())
}

func quoted(s string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(s) + "'"
}

func (p reader) query(text string) (d tree.DML) {
	err := translate.WithText(text, func(inner *translate.Translator) { d = Statement(inner).DML })
	if err != nil {
		p.Fail(sqlerr.Internal(err, "SHOW could not be translated"))
	}
	return d
}
