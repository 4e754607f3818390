package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/pebble"
)

const checkIntro = `
saltsql check reads the whole catalog and every row of every table, and says what is
wrong: references that lead nowhere, missing storage tables, bytes that are no value of
their column, rows in the wrong salt bucket, entries of indexes that are missing, wrong or
without a row. It changes nothing; CHECK TABLE … REPAIR mends indexes. An embedded store must
not be open in a server; of one that is, back it up and run saltsql verify.

It ends with status 0 where all is well, 1 where something was found, and 2 where it
could not look. What is marked "pending" is what a statement that died has left: the next
start of a server, or the next DDL statement, puts it in order, and it does not count.

Example:
  saltsql check --store pebble:/var/lib/saltsql`

// couldNot is an error that ends the program with status 2.
func couldNot(err error) error { return &couldNotError{err} }

type couldNotError struct{ error }

func (e *couldNotError) Unwrap() error { return e.error }

func check(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("check", checkIntro, stdout)
	url := storeVar(fs, "store `URL`: pebble:DIR or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	return checkURL(ctx, *url, stdout, stderr)
}

// openToRead opens a store that nothing is written to.
func openToRead(ctx context.Context, url string, log *slog.Logger) (storage.Store, error) {
	if cfg, err := bigtable.ParseURL(url); err == nil {
		store, err := bigtable.Open(ctx, cfg)
		if err != nil {
			return nil, err
		}
		return store, reach(ctx, store, false, log)
	}
	dir, err := folderOf(url)
	if err != nil {
		return nil, err
	}
	return pebble.OpenContext(ctx, dir, &pebble.Options{Logger: log, ReadOnly: true})
}

func checkURL(ctx context.Context, url string, stdout, stderr io.Writer) error {
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := openToRead(ctx, url, log)
	if err != nil {
		return couldNot(err)
	}
	defer store.Close()
	faults, err := checkStore(ctx, store, log, stdout)
	switch {
	case err != nil:
		return couldNot(err)
	case faults > 0:
		fmt.Fprintf(stdout, "%d faults were found.\n", faults)
		return errFound
	}
	return nil
}

// checkStore prints what is wrong with a store, and counts it.
func checkStore(ctx context.Context, store storage.Store, log *slog.Logger, stdout io.Writer) (faults int, err error) {
	tell := func(ps []live.Problem) {
		for _, p := range ps {
			fmt.Fprintln(stdout, p)
			if !p.Pending {
				faults++
			}
		}
	}
	if own, ok := store.(*pebble.Store); ok {
		if err := own.CheckLevels(ctx); err != nil {
			tell([]live.Problem{{Object: "store", Text: err.Error()}})
		}
	}
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log, ReadOnly: true})
	if err != nil {
		return faults, err
	}
	defer db.Close()
	cat := session.Behind(db).Catalog()
	ps, err := cat.Check(ctx)
	if err != nil {
		return faults, err
	}
	tell(ps)
	var all int64
	tables := cat.Snapshot().Tables()
	for _, t := range tables {
		rows, ps, err := cat.CheckRows(ctx, t)
		if err != nil {
			return faults, err
		}
		tell(ps)
		all += rows
		if ps, err = checkIndexes(ctx, db, t); err != nil {
			return faults, err
		}
		tell(ps)
	}
	fmt.Fprintf(stdout, "catalog version %d: %d tables and %d rows were read.\n", cat.Snapshot().Version(), len(tables), all)
	return faults, nil
}

// checkIndexes compares the indexes of a table with its rows. Where it cannot for what stands
// in the rows, that is a problem too.
func checkIndexes(ctx context.Context, db *saltsql.DB, t *catalog.Table) (ps []live.Problem, err error) {
	if len(t.Indexes) == 0 {
		return nil, nil
	}
	tell := func(index, text string) {
		ps = append(ps, live.Problem{Object: fmt.Sprintf("index %s.%s", ident.Quote(t.Schema), ident.Quote(index)), Text: text})
	}
	rows, err := db.Query(ctx, fmt.Sprintf("CHECK TABLE %s.%s INDEX", ident.Quote(t.Schema), ident.Quote(t.Name)))
	if err == nil {
		for rows.Next() { // object, rows, missing, wrong, stale, duplicates, repaired, sample
			missing, wrong, stale, duplicates := rows.Text(2), rows.Text(3), rows.Text(4), rows.Text(5)
			if missing != "0" || wrong != "0" || stale != "0" || duplicates != "0" {
				tell(rows.Text(0), fmt.Sprintf("%s entries are missing, %s wrong, %s without a row, %s rows have values of others: %s", missing, wrong, stale, duplicates, rows.Text(7)))
			}
		}
		err = rows.Close()
	}
	var bad interface{ SQLState() string }
	if errors.As(err, &bad) && strings.HasPrefix(bad.SQLState(), "XX00") {
		tell(t.Indexes[0].Name, "the rows cannot be compared with it: "+err.Error())
		err = nil
	}
	return ps, err
}
