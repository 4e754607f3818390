package maintenance

import (
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Reindex is REINDEX: each entry of an index is compared with its row, and what is missing, wrong
// or stale is written anew, while others read and write, with CONCURRENTLY or without. A primary
// key has no entries beside its rows. XX002 where entries are left that cannot be made right.
func (run *Runner) Reindex(ctx context.Context, u *tree.Reindex) error {
	verbose, concurrently, err := reindexOptions(u)
	if err != nil {
		return err
	}
	if run.ReadOnly { // a read-only transaction may: no query answers otherwise after it
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute REINDEX in a read-only transaction")
	}
	if run.Host.InTransaction() {
		switch {
		case concurrently:
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "REINDEX CONCURRENTLY cannot run inside a transaction block")
		case u.Object != "index" && u.Object != "table":
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "REINDEX %s cannot run inside a transaction block", strings.ToUpper(u.Object))
		}
	}
	if i := run.Host.Identity(); u.Object == "index" || u.Object == "table" {
		if err := i.Of.MayLookInto(i.Current.ID, u.Name.Schema); err != nil {
			return err
		}
	}
	switch u.Object {
	case "index":
		t, ix, err := run.reindexed(u.Name)
		if err != nil {
			return err
		}
		return run.reindexOne(ctx, t, ix, verbose)
	case "table":
		r, err := run.Host.Snapshot().Resolve(run.Host.SearchPath(), u.Name.Schema, u.Name.Name)
		if err != nil {
			return sqlerr.As(err).At(u.Name.Pos)
		}
		t, ok := r.(*catalog.Table)
		if !ok {
			return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table or materialized view`, r.RelName())
		}
		if !run.Host.Identity().Owns(t) {
			return catalog.NotOwner("table", t.Name)
		}
		return run.reindexTable(ctx, t, concurrently, verbose)
	}
	return run.reindexMany(ctx, u, concurrently, verbose)
}

// reindexMany is REINDEX of a schema or of the database, by its owner.
func (run *Runner) reindexMany(ctx context.Context, u *tree.Reindex, concurrently, verbose bool) error {
	i := run.Host.Identity()
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
		if u.Name.Name != run.Host.Database() {
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
		if !in(t) || !run.Host.Identity().Owns(t) {
			continue
		}
		for n := range t.Indexes {
			if err := run.reindexOne(ctx, t, &t.Indexes[n], verbose); err != nil {
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
func (run *Runner) reindexed(n tree.Name) (*catalog.Table, *catalog.Index, error) {
	snap := run.Host.Snapshot()
	name := catalog.Name{Schema: n.Schema, Name: n.Name, Path: run.Host.SearchPath(), Pos: n.Pos}
	t, ix := snap.IndexNamed(name)
	if ix == nil {
		t = snap.KeyNamed(name)
	}
	if t == nil {
		r, err := snap.Resolve(run.Host.SearchPath(), n.Schema, n.Name)
		if err != nil {
			return nil, nil, sqlerr.As(err).At(n.Pos)
		}
		return nil, nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not an index`, r.RelName())
	}
	if !run.Host.Identity().Owns(t) {
		return nil, nil, catalog.NotOwner("index", n.Name)
	}
	return t, ix, nil
}

func (run *Runner) reindexTable(ctx context.Context, t *catalog.Table, concurrently, verbose bool) error {
	if t.HiddenKey() != nil && !slices.ContainsFunc(t.Indexes, func(ix catalog.Index) bool { return ix.Readable() }) {
		what := "to reindex"
		if concurrently {
			what = "that can be reindexed concurrently"
		}
		run.Host.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, `table "%s" has no indexes %s`, t.Name, what))
		return nil
	}
	if t.HiddenKey() == nil {
		if err := run.reindexOne(ctx, t, nil, verbose); err != nil {
			return err
		}
	}
	for n := range t.Indexes {
		if err := run.reindexOne(ctx, t, &t.Indexes[n], verbose); err != nil {
			return err
		}
	}
	return nil
}

// reindexOne proves an index and mends it; nil is the primary key'r.
func (run *Runner) reindexOne(ctx context.Context, t *catalog.Table, ix *catalog.Index, verbose bool) error {
	if run.Host.Wrote(t) {
		return sqlerr.New(sqlerr.ActiveSQLTransaction, `REINDEX cannot run inside a transaction block that has written table "%s"`, t.Name).
			WithHint("COMMIT first: entries are compared with rows that are committed.")
	}
	name, report := t.PrimaryKeyName, &write.IndexReport{}
	if ix != nil {
		name = ix.Name
		var err error
		if report, err = run.checkIndex(ctx, t, ix, true); report == nil || err != nil { // nil: it is not made yet, or gone
			return err
		}
	}
	if report.Duplicates > 0 {
		return sqlerr.New(sqlerr.UniqueViolation, `could not create unique index "%s"`, name).WithDetail("%s", report.Duplicate)
	}
	if left := report.Faults() - report.Repaired; left > 0 {
		return sqlerr.New(sqlerr.IndexCorrupted, `%d entries of index "%s" could not be made right`, left, name).
			WithDetail("%s", report.Sample).WithHint("CHECK TABLE %s ALL shows what is wrong. DROP the index and create it anew.", t.Name)
	}
	if verbose {
		info := sqlerr.Notice(sqlerr.SuccessfulCompletion, `index "%s" was reindexed`, name)
		info.Severity = sqlerr.SeverityInfo
		run.Host.Notice(info.WithDetail("%d rows, %d entries; %d were missing, %d wrong, %d stale.", report.Rows, report.Entries, report.Missing, report.Wrong, report.Stale))
	}
	return nil
}
