package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/bigtable/backup"
)

// Backups of Bigtable are the service's own: see package storage/bigtable/backup.

func onBigtable(url string) bool { return strings.HasPrefix(url, "bigtable:") }

// clusterVar is the flag --cluster.
func clusterVar(fs *flag.FlagSet) *string {
	return fs.String("cluster", "", "`NAME` of the cluster that keeps the backups, on Bigtable (gcloud bigtable clusters list names them)")
}

// openBigtable opens an instance whose backups are wanted.
func openBigtable(ctx context.Context, url, cluster string, log *slog.Logger) (*bigtable.Store, error) {
	if cluster == "" {
		return nil, errors.New("--cluster is needed: backups on Bigtable are kept by a cluster of the instance")
	}
	cfg, err := bigtable.ParseURL(url)
	if err != nil {
		return nil, err
	}
	s, err := bigtable.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := reach(ctx, s, false, log); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func warnings(stderr io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// backupBigtable backs up all tables while nothing changes what tables there are.
func backupBigtable(ctx context.Context, url, cluster string, expire time.Duration, keep int, stdout, stderr io.Writer) (err error) {
	log := warnings(stderr)
	s, err := openBigtable(ctx, url, cluster, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	cat, err := live.Open(ctx, s, live.Observer, live.OpenOptions{Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cat.Close()) }()
	var set *backup.Set
	err = cat.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		snap, err := cat.Refresh(ctx)
		if err != nil {
			return err
		}
		tables, err := storedIn(snap)
		if err != nil {
			return err
		}
		set, err = backup.Make(ctx, s, cluster, tables, versions.SystemTable, time.Now().Add(expire), tellTables(stderr, "backed up"))
		return err
	})
	if err != nil {
		return err
	}
	from, to := set.Span()
	fmt.Fprintf(stdout, "backup %s: %d tables of %s, read from %s to %s; cluster %s keeps it until %s.\n", set.Name, set.Of+1, memory.Size(set.Bytes()),
		from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339), cluster, set.Last.Expires.UTC().Format(time.RFC3339))
	if keep == 0 {
		return nil
	}
	removed, err := backup.Prune(ctx, s, cluster, keep)
	if removed > 0 {
		fmt.Fprintf(stdout, "%d older ones are removed.\n", removed)
	}
	return err
}

// storedIn lists the storage tables of a catalog. What is being moved from one to another is
// refused: a backup would have neither.
func storedIn(s *catalog.Snapshot) (names []string, err error) {
	for _, t := range s.Tables() {
		if len(t.Jobs()) > 0 {
			return nil, fmt.Errorf("table %s.%s is being rewritten, or an index of it made: wait for that (SELECT * FROM saltsql.jobs), or cancel it", ident.Quote(t.Schema), ident.Quote(t.Name))
		}
		if t.Distributed() {
			return nil, fmt.Errorf("table %s.%s is TRANSACTIONAL: backups of its storage tables are not of one moment; use saltsql export", ident.Quote(t.Schema), ident.Quote(t.Name))
		}
		names = append(names, t.Parts()...)
		for i := range t.Indexes {
			names = append(names, t.Indexes[i].Physical)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// endOf tells when a table's backup had its last row.
func endOf(b bigtable.Backup) string {
	if !b.Ready {
		return "not yet"
	}
	return b.End.UTC().Format(time.RFC3339)
}

// tellTables tells of each table, a line at most in a second.
func tellTables(w io.Writer, what string) func(done, of int) {
	last := time.Now()
	return func(n, of int) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "%d of %d tables are %s\n", n, of, what)
	}
}

// restoreBigtable makes the tables of a backup of the instance source in that of url.
func restoreBigtable(ctx context.Context, url, source, cluster, at string, stdout, stderr io.Writer) (err error) {
	if !onBigtable(source) || !onBigtable(url) {
		return errors.New("a backup on Bigtable is restored into Bigtable: saltsql restore --store bigtable://PROJECT/NEW --cluster NAME bigtable://PROJECT/INSTANCE; saltsql push copies from there")
	}
	log := warnings(stderr)
	from, err := openBigtable(ctx, source, cluster, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := openBigtable(ctx, url, cluster, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if a, b := from.Config().Project, to.Config().Project; a != b {
		return fmt.Errorf("the backup is of project %s and the target of %s: copy it there first (gcloud bigtable backups copy)", a, b)
	}
	set, err := backup.Find(ctx, from, cluster, at)
	if err != nil {
		return err
	}
	var mended int64
	mend := func() (err error) {
		mended, err = mendIndexes(ctx, to, log)
		return err
	}
	if err := backup.Restore(ctx, to, from.Config().Instance, cluster, set, mend, tellTables(stderr, "restored")); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "backup %s is restored into %s: %d tables; %d entries of indexes were not of their rows' moment, and are mended.\n", set.Name, url, set.Of+1, mended)
	return err
}

// mendIndexes makes the entries of all indexes those of their tables' rows, and counts those
// that were not.
func mendIndexes(ctx context.Context, store *bigtable.Store, log *slog.Logger) (mended int64, err error) {
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, t := range session.Behind(db).Catalog().Snapshot().Tables() {
		if len(t.Indexes) == 0 {
			continue
		}
		rows, err := db.Query(ctx, fmt.Sprintf("CHECK TABLE %s.%s INDEX REPAIR", ident.Quote(t.Schema), ident.Quote(t.Name)))
		if err != nil {
			return mended, err
		}
		for rows.Next() { // object, rows, missing, wrong, stale, duplicates, repaired, sample
			var repaired int64
			if err := rows.Scan(new(any), new(any), new(any), new(any), new(any), new(any), &repaired, new(any)); err != nil {
				return mended, errors.Join(err, rows.Close())
			}
			mended += repaired
		}
		if err := rows.Close(); err != nil {
			return mended, err
		}
	}
	return mended, nil
}

// verifyBigtable says which backups of an instance a cluster keeps, and whether they are whole; with
// tables also of which moments each of their tables is.
func verifyBigtable(ctx context.Context, url, cluster string, tables bool, stdout, stderr io.Writer) (err error) {
	s, err := openBigtable(ctx, url, cluster, warnings(stderr))
	if err != nil {
		return couldNot(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	sets, err := backup.List(ctx, s, cluster)
	if err != nil {
		return couldNot(err)
	}
	broken := 0
	for i := range sets {
		at := &sets[i]
		from, to := at.Span()
		state := "whole"
		if !at.Whole() {
			broken++
			if state = "not whole: its last table is missing"; at.Last.ID != "" {
				state = fmt.Sprintf("not whole: of %d tables %d are ready", at.Of, len(at.Tables))
			}
		}
		fmt.Fprintf(stdout, "backup %s: %d tables of %s, read from %s to %s: %s.\n", at.Name, len(at.Tables), memory.Size(at.Bytes()),
			from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339), state)
		if !tables {
			continue
		}
		for _, b := range at.All() {
			fmt.Fprintf(stdout, "  %s: table %s of %s, begun %s, ended %s\n", b.ID, b.Table, memory.Size(b.Bytes), b.Start.UTC().Format(time.RFC3339), endOf(b))
		}
	}
	switch {
	case len(sets) == 0:
		fmt.Fprintf(stdout, "cluster %s keeps no backup of this instance.\n", cluster)
		return errFound
	case broken > 0:
		return errFound
	}
	return nil
}
