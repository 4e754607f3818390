package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"
)

const doctorIntro = `
saltsql doctor asks a server what is odd, and says it in plain words: uneven buckets, keys
that send all writes to one place, statements that read a thousand rows for one, indexes that
would spare reading, clients that forgot their transactions, passwords and certificates that
end. It reads catalogs and counters only and changes nothing;
saltsql check reads the rows.

It ends with status 0 where nothing is odd, 1 where something is, and 2 where it could
not look.

Examples:
  saltsql doctor
  saltsql doctor --connect 'postgres://ann@db.example.org:5433/saltsql'
  saltsql doctor --store pebble:./data        without a server`

// oddities are queries whose rows are sentences. What they name is what users can change.
var oddities = []string{
	// As much as 64 MB in a bucket, and thrice its share.
	`SELECT format('table %s.%s: bucket %s holds %s%% of it, and an even share is %s%%: look for a key that is far more frequent than others, or hash more columns (SALT_COLUMNS).',
		b.schema_name, b.table_name, bucket, round((share * 100)::numeric), round(100.0 / salt_buckets, 1))
	FROM saltsql.buckets b JOIN saltsql.tables t USING (table_oid) WHERE share > 3.0 / salt_buckets AND bytes > 67108864`,
	`SELECT format('table %s.%s: its key leads with "%s", a %s, and it is not salted: if that grows with time, all new rows go to one place.', c.schema_name, c.table_name, column_name, c.data_type)
	FROM saltsql.columns c JOIN saltsql.tables t USING (table_oid)
	WHERE key_position = 1 AND salt_buckets = 0 AND c.data_type IN ('date', 'timestamp without time zone', 'timestamp with time zone') AND coalesce(estimated_rows, 0) > 100000`,
	`SELECT format('table %s.%s: its key leads with "%s", which counts up by itself (%s), and it is not salted: all new rows go to one place.', c.schema_name, c.table_name, column_name, c.data_type)
	FROM saltsql.columns c JOIN saltsql.tables t USING (table_oid) JOIN pg_attribute a ON attrelid = table_oid AND attname = column_name
	WHERE key_position = 1 AND salt_buckets = 0 AND (attidentity <> '' OR column_default LIKE 'nextval(%') AND coalesce(estimated_rows, 0) > 100000`,
	`SELECT format('table %s.%s: %s buckets, and about %s rows: every range read asks each bucket, and so few rows need none.', schema_name, table_name, salt_buckets, estimated_rows)
	FROM saltsql.tables WHERE salt_buckets > 32 AND estimated_rows BETWEEN 0 AND 10000`,
	`SELECT format('table %s.%s is held by an ALTER TABLE that runs, or that died: the next DDL statement puts it in order.', schema_name, table_name) FROM saltsql.tables WHERE frozen`,
	`SELECT format('session %s of %s has done nothing within its transaction for %s: set idle_in_transaction_session_timeout.', pid, usename, date_trunc('second', now() - state_change))
	FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND now() - state_change > INTERVAL '10 minutes'`,
	`SELECT format('session %s of %s has run one statement for %s: %s', pid, usename, date_trunc('second', now() - query_start), left(query, 100))
	FROM pg_stat_activity WHERE state = 'active' AND now() - query_start > INTERVAL '10 minutes'`,
	`SELECT format('%s rows were read for each that was given, %s calls: EXPLAIN ADVISE %s', rows_read / greatest(rows, 1), calls, query)
	FROM pg_stat_statements WHERE rows_read > 1000000 AND rows_read > 1000 * rows ORDER BY rows_read DESC LIMIT 5`,
	`SELECT format('table %s.%s: %s runs of %s statements would have read about %s rows less with an index: %s', schema_name, table_name, calls, statements, rows_spared, index_definition)
	FROM saltsql.index_advice WHERE rows_spared > 1000000 ORDER BY rows_spared DESC LIMIT 5`,
	`SELECT format('job %s, %s, has no server that is at work on it: start one, or SELECT saltsql.cancel_job(%s).', job_id, command, job_id)
	FROM saltsql.jobs WHERE coalesce(server, '') = '' AND now() - started > INTERVAL '10 minutes'`,
	`SELECT format('the password of role %s %s on %s: ALTER ROLE %s VALID UNTIL a later day.', rolname, CASE WHEN rolvaliduntil < now() THEN 'ended' ELSE 'ends' END, rolvaliduntil::date, quote_ident(rolname))
	FROM pg_roles WHERE rolcanlogin AND rolvaliduntil < now() + INTERVAL '7 days'`,
	`SELECT format('%s of %s runs failed: %s', errors, calls + errors, query) FROM pg_stat_statements WHERE errors > 100 AND errors > calls / 10 ORDER BY errors DESC LIMIT 5`,
}

// fewFiles is how many file handles a server should be able to have.
const fewFiles = 4096

// fewDays is how long a certificate should be valid yet.
const fewDays = 14 * 24 * time.Hour

func doctor(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("doctor", doctorIntro, stdout)
	dsn, store := connectFlags(fs)
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	c, close, err := dial(ctx, *dsn, *store, true, stderr)
	if err != nil {
		return couldNot(err)
	}
	defer func() { _ = close() }()
	odd := 0
	for _, query := range oddities {
		rows, err := ask(ctx, c, query)
		if err != nil {
			return couldNot(fmt.Errorf("%w in %s", err, strings.Join(strings.Fields(query), " ")))
		}
		for _, row := range rows {
			fmt.Fprintln(stdout, "-", row[0])
		}
		odd += len(rows)
	}
	if secure, ok := c.Conn().(*tls.Conn); ok {
		if until := secure.ConnectionState().PeerCertificates[0].NotAfter; time.Until(until) < fewDays {
			fmt.Fprintf(stdout, "- the server's certificate ends on %s: put a new one in its place, and send SIGHUP.\n", until.Format(time.DateOnly))
			odd++
		}
	}
	var limit syscall.Rlimit
	if *store != "" && syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur < fewFiles {
		fmt.Fprintf(stdout, "- a process may have %d files open (ulimit -n): a large store and many clients need %d.\n", limit.Cur, fewFiles)
		odd++
	}
	if odd == 0 {
		_, err := fmt.Fprintln(stdout, "Nothing is odd.")
		return err
	}
	return errFound
}
