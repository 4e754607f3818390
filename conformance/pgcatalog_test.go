package conformance

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/storage/mem"
)

// differs lists what is not as in PostgreSQL 15, with the reason. Keys are what TestAgainstPostgres
// prints.
var differs = map[string]string{
	"column pg_catalog.pg_statistic_ext_data.stxdexpr": "arrays of rows of a table are no values; the relation is empty",
}

// rowsOf runs a query and gives its rows as texts, with | between the values.
func rowsOf(t *testing.T, ask func(query string) ([][]string, error), query string) map[string]string {
	t.Helper()
	rows, err := ask(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r[0]] = strings.Join(r[1:], "|")
	}
	return out
}

// TestAgainstPostgres compares the columns of every system relation, and the OIDs and
// attributes of all that is built in here, with a server.
func TestAgainstPostgres(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Start(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	postgres := func(query string) ([][]string, error) {
		res, err := conn.PgConn().Exec(ctx, query).ReadAll()
		if err != nil {
			return nil, err
		}
		var rows [][]string
		for _, r := range res[len(res)-1].Rows {
			row := make([]string, len(r))
			for i, v := range r {
				row[i] = string(v)
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	db, err := saltsql.Open(ctx, mem.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ours := asker(t, db)

	t.Run("columns", func(t *testing.T) {
		const query = `SELECT c.oid::text || ' ' || attnum, attname, format_type(atttypid, atttypmod), attnotnull, attcollation
			FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid WHERE c.oid < 16384 AND attnum > 0 AND relkind IN ('r', 'v')`
		theirs := rowsOf(t, postgres, query)
		names := rowsOf(t, postgres, `SELECT oid, relnamespace::regnamespace, relname FROM pg_class`)
		have := map[string]string{}
		rows, err := ours(`SELECT attrelid::text || ' ' || attnum::text, attname, format_type(atttypid, atttypmod), attnotnull, attcollation FROM pg_attribute WHERE attrelid < 15000`)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			have[r[0]] = strings.Join(r[1:], "|")
		}
		for key, want := range theirs {
			oid, _, _ := strings.Cut(key, " ")
			where := strings.ReplaceAll(names[oid], "|", ".")
			if what := "column " + where + "." + strings.SplitN(want, "|", 2)[0]; have[key] != want && differs[what] == "" {
				t.Errorf("%s is %q, PostgreSQL has %q", what, have[key], want)
			}
			delete(have, key)
		}
		for key, row := range have {
			t.Errorf("PostgreSQL has no column %s %s", key, row)
		}
	})
	for what, query := range map[string]string{
		"type": `SELECT oid, typname, typlen, typbyval, typtype, typcategory, typispreferred, typisdefined, typdelim, typsubscript::oid, typelem,
			typarray, typinput::oid, typoutput::oid, typreceive::oid, typsend::oid, typmodin::oid, typmodout::oid, typanalyze::oid,
			typalign, typstorage, typnotnull, typbasetype, typtypmod, typndims, typcollation FROM pg_type WHERE oid < 15000 AND typtype <> 'd'`,
		"function": `SELECT oid, proname, pronamespace, procost, prorows, provariadic, prokind, proleakproof, proisstrict, proretset, provolatile, proparallel,
			pronargs, pronargdefaults, prorettype, proargtypes, proallargtypes, proargmodes, proargnames, pg_get_function_arguments(oid),
			pg_get_function_identity_arguments(oid), pg_get_function_result(oid) FROM pg_proc WHERE oid < 15000`,
		"operator":  `SELECT oid, oprname, oprkind, oprcanmerge, oprcanhash, oprleft, oprright, oprresult, oprcode::oid, oprrest::oid, oprjoin::oid FROM pg_operator WHERE oid < 15000`,
		"cast":      `SELECT oid, castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast`,
		"aggregate": `SELECT aggfnoid::oid, aggkind, aggnumdirectargs, aggtransfn::oid, aggfinalfn::oid, aggsortop, aggtranstype, agginitval FROM pg_aggregate`,
		"opclass":   `SELECT oid, opcname, opcmethod, opcfamily, opcintype, opcdefault, opckeytype FROM pg_opclass`,
		"opfamily":  `SELECT oid, opfname, opfmethod FROM pg_opfamily`,
		"amop":      `SELECT oid, amopfamily, amoplefttype, amoprighttype, amopstrategy, amopopr FROM pg_amop`,
		"amproc":    `SELECT oid, amprocfamily, amproclefttype, amprocrighttype, amprocnum, amproc::oid FROM pg_amproc`,
		"am":        `SELECT oid, amname, amhandler, amtype FROM pg_am`,
		"collation": `SELECT oid, collname, collprovider, collisdeterministic, collencoding, collcollate, collctype FROM pg_collation`,
		"keyword":   `SELECT word, catcode, barelabel FROM pg_get_keywords()`,
	} {
		t.Run(what, func(t *testing.T) {
			theirs, have := rowsOf(t, postgres, query), rowsOf(t, ours, query)
			if len(have) == 0 {
				t.Fatal("there is none")
			}
			for _, oid := range slices.Sorted(maps.Keys(have)) {
				if key := what + " " + oid; have[oid] != theirs[oid] && differs[key] == "" {
					t.Errorf("%s:\n  here       %s\n  PostgreSQL %s", key, have[oid], theirs[oid])
				}
			}
		})
	}
}

// asker runs queries in a session of db.
func asker(t *testing.T, db *saltsql.DB) func(query string) ([][]string, error) {
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return func(query string) ([][]string, error) {
		ctx := context.Background()
		rows, err := s.Query(ctx, query)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var out [][]string
		for rows.Next() {
			row := make([]string, len(rows.Columns()))
			for i := range row {
				row[i] = rows.Text(i)
			}
			out = append(out, row)
		}
		return out, rows.Err()
	}
}
