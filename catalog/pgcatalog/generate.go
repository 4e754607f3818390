//go:build ignore

// Reads the files of facts/ from a PostgreSQL 15:
//
//	go run generate.go "host=127.0.0.1 user=postgres"
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Each query gives the lines of a file. NULL is written as \N; no value holds a tab.
var queries = map[string]string{
	"relations.tsv": `
		SELECT c.oid, n.nspname, c.relname, c.relkind, c.reltype, r.typarray,
		       string_agg(a.attname || ' ' || CASE WHEN t.typtype = 'd' THEN 'information_schema.' ELSE '' END || t.typname || CASE WHEN a.attnotnull THEN '!' ELSE '' END ||
		       CASE WHEN a.attcollation <> t.typcollation THEN '@' || a.attcollation ELSE '' END, ',' ORDER BY a.attnum)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type r ON r.oid = c.reltype
		WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
		GROUP BY c.oid, n.nspname, c.relname, c.relkind, c.reltype, r.typarray ORDER BY n.nspname DESC, c.relname`,
	"types.tsv": `
		SELECT oid, typname, typlen, typbyval, typtype, typcategory, typispreferred, typdelim, typsubscript::oid, typelem, typarray,
		       typinput::oid, typoutput::oid, typreceive::oid, typsend::oid, typmodin::oid, typmodout::oid, typanalyze::oid,
		       typalign, typstorage, typcollation
		FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typrelid = 0
		AND (typelem = 0 OR typelem IN (SELECT oid FROM pg_type WHERE typrelid = 0)) ORDER BY oid`,
	"domains.tsv": `
		SELECT oid, typname, typarray, typbasetype, typtypmod, typcollation
		FROM pg_type WHERE typnamespace = 'information_schema'::regnamespace AND typtype = 'd' ORDER BY oid`,
	"procs.tsv": `
		SELECT oid, CASE WHEN pronamespace = 'pg_catalog'::regnamespace THEN '' ELSE 'information_schema.' END || proname, prolang, procost, prorows, provariadic, prosupport::oid, prokind, proleakproof, proisstrict, proretset,
		       provolatile, proparallel, pronargdefaults, prorettype, proargtypes,
		       array_to_string(proallargtypes, ' '), array_to_string(proargmodes, ' '), array_to_string(proargnames, ','),
		       pg_get_expr(proargdefaults, 0), CASE WHEN prolang = 12 THEN nullif(prosrc, proname) END
		FROM pg_proc WHERE pronamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY oid`,
	"operators.tsv": `
		SELECT oid, oprname, oprkind, oprcanmerge, oprcanhash, oprleft, oprright, oprresult, oprcom, oprnegate, oprcode::oid, oprrest::oid, oprjoin::oid
		FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace ORDER BY oid`,
	"casts.tsv": `SELECT oid, castsource, casttarget, castfunc, castcontext, castmethod FROM pg_cast ORDER BY oid`,
	"aggregates.tsv": `
		SELECT aggfnoid::oid, aggkind, aggnumdirectargs, aggtransfn::oid, aggfinalfn::oid, aggcombinefn::oid, aggserialfn::oid, aggdeserialfn::oid,
		       aggmtransfn::oid, aggminvtransfn::oid, aggmfinalfn::oid, aggfinalextra, aggmfinalextra, aggfinalmodify, aggmfinalmodify,
		       aggsortop, aggtranstype, aggtransspace, aggmtranstype, aggmtransspace, agginitval, aggminitval
		FROM pg_aggregate ORDER BY aggfnoid::oid`,
	"opfamilies.tsv": `SELECT oid, opfname FROM pg_opfamily WHERE opfmethod = 403 ORDER BY oid`,
	"opclasses.tsv":  `SELECT oid, opcname, opcfamily, opcintype, opcdefault, opckeytype FROM pg_opclass WHERE opcmethod = 403 ORDER BY oid`,
	"amops.tsv": `
		SELECT oid, amopfamily, amoplefttype, amoprighttype, amopstrategy, amopopr FROM pg_amop
		WHERE amopmethod = 403 ORDER BY oid`,
	"amprocs.tsv": `
		SELECT p.oid, amprocfamily, amproclefttype, amprocrighttype, amprocnum, amproc::oid FROM pg_amproc p
		JOIN pg_opfamily f ON f.oid = amprocfamily WHERE opfmethod = 403 ORDER BY p.oid`,
	"keywords.tsv": `SELECT word, catcode, barelabel FROM pg_get_keywords() ORDER BY word`,
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run generate.go DSN")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(dsn string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for name, query := range queries {
		results, err := conn.PgConn().Exec(ctx, query).ReadAll()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var b strings.Builder
		for _, row := range results[0].Rows {
			for i, v := range row {
				if i > 0 {
					b.WriteByte('\t')
				}
				if v == nil {
					b.WriteString(`\N`)
				}
				b.Write(v)
			}
			b.WriteByte('\n')
		}
		if err := os.WriteFile("facts/"+name, []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
