package session

import (
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// reindex is REINDEX: each entry of an index is compared with its row, and what is missing, wrong
// or stale is written anew, while others read and write, with CONCURRENTLY or without. A primary
// key has no entries beside its rows. XX002 where entries are left that cannot be made right.
func (s *Session) reindex(ctx context.Context, u *tree.Reindex) error {
	verbose, concurrently, err := reindexOptions(u)
	if err != nil {
		return err
	}
	if s.db.readOnly { // a read-only transaction may: no query answers otherwise after it
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute REINDEX in a read-only transaction")
	}
	if s.tx.inTransaction() {
		switch {
		case concurrently:
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "REINDEX CONCURRENTLY cannot run inside a transaction block")
		case u.Object != "index" && u.Object != "table":
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "REINDEX %s cannot run inside a transaction block", strings.ToUpper(u.Object))
		}
	}
	switch u.Object {
	case "index":
		t, ix, err := s.reindexed(u.Name)
		if err != nil {
			return err
		}
		return s.reindexOne(ctx, t, ix, verbose)
	case "table":
		r, err := s.snapshot().Resolve(s.searchPath(), u.Name.Schema, u.Name.Name)
		if err != nil {
			return sqlerr.As(err).At(u.Name.Pos)
		}
		t, ok := r.(*catalog.Table)
		if !ok {
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table or materialized view`, r.RelName())
		}
		if !s.identity().Owns(t) {
			return catalog.NotOwner("table", t.Name)
		}
		return s.reindexTable(ctx, t, concurrently, verbose)
	}
	return s.reindexMany(ctx, u, concurrently, verbose)
}

// reindexMany is REINDEX of a schema or of the database, by its owner.
func (s *Session) reindexMany(ctx context.Context, u *tree.Reindex, concurrently, verbose bool) error {
	i := s.identity()
	in := func(t *catalog.Table) bool { return true }
	switch u.Object {
	case "schema":
		sc := i.Of.Schema(u.Name.Name)
		if sc == nil {
			return catalog.UndefinedSchema(u.Name.Name)
		}
		if !i.Of.HasPrivsOf(i.Current.ID, sc.Owner) {
			return catalog.NotOwner("schema", sc.Name)
		}
		in = func(t *catalog.Table) bool { return t.Schema == sc.Name }
	default:
		if u.Name.Name != s.opts.Database {
			return sqlerr.New(sqlerr.FeatureNotSupported, "can only reindex the currently open database")
		}
		if !i.Superuser {
			return catalog.NotOwner("database", u.Name.Name)
		}
		if u.Object == "system" {
			if concurrently {
				return sqlerr.New(sqlerr.FeatureNotSupported, "cannot reindex system catalogs concurrently")
			}
			return nil // they are computed
		}
	}
	for _, t := range i.Of.Tables() {
		if !in(t) || !s.identity().Owns(t) {
			continue
		}
		for n := range t.Indexes {
			if err := s.reindexOne(ctx, t, &t.Indexes[n], verbose); err != nil {
				return err
			}
		}
	}
	return nil
}

func reindexOptions(u *tree.Reindex) (verbose, concurrently bool, err error) {
	concurrently = u.Concurrently
	for i := range u.Options {
		o := &u.Options[i]
		on := true
		switch strings.ToLower(o.Value) {
		case "", "true", "on", "1":
		case "false", "off", "0":
			on = false
		default:
			if o.Name == "verbose" || o.Name == "concurrently" {
				return false, false, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
			}
		}
		switch o.Name {
		case "verbose":
			verbose = on
		case "concurrently":
			concurrently = on
		case "tablespace":
			if o.Value != "pg_default" {
				return false, false, sqlerr.Unsupported("tablespaces are not supported", "Leave TABLESPACE out.").At(o.Pos)
			}
		default:
			return false, false, sqlerr.New(sqlerr.SyntaxError, `unrecognized REINDEX option "%s"`, o.Name).At(o.Pos)
		}
	}
	return verbose, concurrently, nil
}

// reindexed finds an index by its name; nil for that of a primary key.
func (s *Session) reindexed(n tree.Name) (*catalog.Table, *catalog.Index, error) {
	snap := s.snapshot()
	name := catalog.Name{Schema: n.Schema, Name: n.Name, Path: s.searchPath(), Pos: n.Pos}
	t, ix := snap.IndexNamed(name)
	if ix == nil {
		t = snap.KeyNamed(name)
	}
	if t == nil {
		r, err := snap.Resolve(s.searchPath(), n.Schema, n.Name)
		if err != nil {
			return nil, nil, sqlerr.As(err).At(n.Pos)
		}
		return nil, nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not an index`, r.RelName())
	}
	if !s.identity().Owns(t) {
		return nil, nil, catalog.NotOwner("index", n.Name)
	}
	return t, ix, nil
}

func (s *Session) reindexTable(ctx context.Context, t *catalog.Table, concurrently, verbose bool) error {
	if t.HiddenKey() != nil && !slices.ContainsFunc(t.Indexes, func(ix catalog.Index) bool { return ix.Readable() }) {
		what := "to reindex"
		if concurrently {
			what = "that can be reindexed concurrently"
		}
		s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, `table "%s" has no indexes %s`, t.Name, what))
		return nil
	}
	if t.HiddenKey() == nil {
		if err := s.reindexOne(ctx, t, nil, verbose); err != nil {
			return err
		}
	}
	for n := range t.Indexes {
		if err := s.reindexOne(ctx, t, &t.Indexes[n], verbose); err != nil {
			return err
		}
	}
	return nil
}

// reindexOne proves an index and mends it; nil is the primary key's.
func (s *Session) reindexOne(ctx context.Context, t *catalog.Table, ix *catalog.Index, verbose bool) error {
	if s.wroteTable(t) != nil {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, `REINDEX cannot run inside a transaction block that has written table "%s"`, t.Name).
			WithHint("COMMIT first: entries are compared with rows that are committed.")
	}
	name, report := t.PrimaryKeyName, &write.IndexReport{}
	if ix != nil {
		name = ix.Name
		var err error
		if report, err = s.checkIndex(ctx, t, ix, true); report == nil || err != nil { // nil: it is not made yet, or gone
			return err
		}
	}
	if left := report.Faults() - report.Repaired; left > 0 {
		return sqlerr.New(sqlerr.IndexCorrupted, `%d entries of index "%s" could not be made right`, left, name).
			WithDetail("%s", report.Sample).WithHint("CHECK TABLE %s ALL shows what is wrong. DROP the index and create it anew.", t.Name)
	}
	if verbose {
		info := sqlerr.Notice(sqlerr.SuccessfulCompletion, `index "%s" was reindexed`, name)
		info.Severity = sqlerr.SeverityInfo
		s.notice(info.WithDetail("%d rows, %d entries; %d were missing, %d wrong, %d stale.", report.Rows, report.Entries, report.Missing, report.Wrong, report.Stale))
	}
	return nil
}
