package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/pebble"
)

const checkIntro = `
saltsql check reads the whole catalog and every row of every table, and says what is
wrong: references that lead nowhere, missing storage tables, bytes that are no value of
their column, rows in the wrong salt bucket. It changes nothing. An embedded store must
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
	if own, ok := store.(interface{ CheckLevels(context.Context) error }); ok {
		if err := own.CheckLevels(ctx); err != nil {
			tell([]live.Problem{{Object: "store", Text: err.Error()}})
		}
	}
	cat, err := live.Open(ctx, store, live.OpenOptions{Logger: log})
	if err != nil {
		return faults, err
	}
	defer cat.Close()
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
	}
	fmt.Fprintf(stdout, "catalog version %d: %d tables and %d rows were read.\n", cat.Snapshot().Version(), len(tables), all)
	return faults, nil
}
