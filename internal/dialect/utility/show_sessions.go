package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/translate"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// SHOW SESSIONS is a query over pg_stat_activity: with its rights, and with types.

const showSessions = `SELECT pid, usename AS "user", application_name AS application, client_addr AS client, state,
	CASE WHEN state = 'active' THEN pg_catalog.clock_timestamp() - query_start END AS running, xact_start AS transaction, query
	FROM pg_catalog.pg_stat_activity ORDER BY backend_start, pid`

func (p reader) sessionsQuery() (d tree.DML) {
	err := translate.WithText(showSessions, func(inner *translate.Translator) { d = Statement(inner).DML })
	if err != nil {
		p.Fail(sqlerr.Internal(err, "SHOW SESSIONS could not be translated"))
	}
	return d
}
