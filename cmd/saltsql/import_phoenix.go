package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/ident"
)

const importPhoenixIntro = `
saltsql import-phoenix reads the rows of Phoenix's SYSTEM.CATALOG and SYSTEM.SEQUENCE in a
store to which HBase's tables were lifted, attaches the tables that they describe, makes
the sequences, and prints a line for every object: what became of it, and why. No row of a
table is read or written. It is IMPORT PHOENIX SCHEMA, which any session may run.

It ends with status 0, also where objects were left out.

Example:
  saltsql import-phoenix --store bigtable://project/instance --schema SHOP`

func importPhoenix(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("import-phoenix", importPhoenixIntro, stdout)
	url := storeVar(fs, "store `URL`: pebble:DIR or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	schema := fs.String("schema", "", "import one `SCHEMA` of Phoenix; all if not given")
	from := fs.String("from", "SYSTEM.CATALOG", "storage `TABLE` with the rows of SYSTEM.CATALOG")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := openStore(ctx, *url, memoryPlan{}, 0, log)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := reach(ctx, store, false, log); err != nil {
		return err
	}
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log})
	if err != nil {
		return err
	}
	defer db.Close()
	sql := "IMPORT PHOENIX SCHEMA"
	if *schema != "" {
		sql += " " + ident.Quote(*schema)
	}
	sql += " FROM " + ident.Literal(*from)
	rows, err := db.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	done := map[string]int{}
	for rows.Next() {
		kind, result := rows.Text(0), rows.Text(2)
		done[kind+" "+result]++
		fmt.Fprintf(stdout, "%-8s %-9s %s\n", kind, result, rows.Text(1))
		if note := rows.Text(3); note != "" {
			fmt.Fprintf(stdout, "%18s %s\n", "", note)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d tables attached, %d left out; %d sequences created, %d left out; %d views created, %d left out; %d indexes left out.\n",
		done["table attached"], done["table left out"], done["sequence created"], done["sequence left out"], done["view created"], done["view left out"], done["index left out"])
	return nil
}
