package maintenance

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// maintenance is what the options of ANALYZE and VACUUM say.
type maintenance struct {
	verbose, analyze, full, parallel bool
}

// vacuumOptions are those of VACUUM that are either on or off; ANALYZE has the first two.
var vacuumOptions = []string{"verbose", "skip_locked", "analyze", "freeze", "full", "disable_page_skipping", "index_cleanup", "process_toast", "truncate"}

// maintenanceOptions reads options: 42601 for those that PostgreSQL does not have and for
// values that are none, 0A000 for those that do not go together.
func maintenanceOptions(tag string, opts []tree.Option) (m maintenance, err error) {
	known := vacuumOptions
	if tag == "ANALYZE" {
		known = known[:2]
	}
	skipping, toast := false, true
	for i := range opts {
		o := &opts[i]
		if o.Name == "parallel" && tag == "VACUUM" {
			n, err := strconv.Atoi(o.Value)
			switch {
			case !o.HasValue:
				return m, sqlerr.New(sqlerr.SyntaxError, "parallel option requires a value between 0 and 1024").At(o.Pos)
			case err != nil:
				return m, sqlerr.New(sqlerr.SyntaxError, "parallel requires an integer value")
			case n < 0 || n > 1024:
				return m, sqlerr.New(sqlerr.SyntaxError, "parallel workers for vacuum must be between 0 and 1024").At(o.Pos)
			}
			m.parallel = n > 0
			continue
		}
		if !slices.Contains(known, o.Name) {
			return m, sqlerr.New(sqlerr.SyntaxError, `unrecognized %s option "%s"`, tag, o.Name).At(o.Pos)
		}
		on := true
		switch strings.ToLower(o.Value) {
		case "", "true", "on", "1":
		case "false", "off", "0":
			on = false
		case "auto":
			if o.Name == "index_cleanup" {
				break
			}
			fallthrough
		default:
			return m, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name)
		}
		switch o.Name {
		case "verbose":
			m.verbose = on
		case "analyze":
			m.analyze = on
		case "full":
			m.full = on
		case "disable_page_skipping":
			skipping = on
		case "process_toast":
			toast = on
		}
	}
	switch {
	case m.full && m.parallel:
		return m, sqlerr.New(sqlerr.FeatureNotSupported, "VACUUM FULL cannot be performed in parallel")
	case m.full && skipping:
		return m, sqlerr.New(sqlerr.FeatureNotSupported, "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL")
	case m.full && !toast:
		return m, sqlerr.New(sqlerr.FeatureNotSupported, "PROCESS_TOAST required with VACUUM FULL")
	}
	return m, nil
}

// Analyze is ANALYZE: what is known of columns is found out anew, from a sample of the rows that
// are committed.
func (run *Runner) Analyze(ctx context.Context, u *tree.Analyze) error {
	m, err := maintenanceOptions("ANALYZE", u.Options)
	if err != nil {
		return err
	}
	list, err := run.maintained("analyze", u.Tables, u.Columns)
	if err != nil {
		return err
	}
	return run.analyzeAll(ctx, list, m.verbose)
}

// maintainedTable is one that a statement names, with the IDs of the columns; none are all.
type maintainedTable struct {
	table   *catalog.Table
	columns []int
}

// maintained finds the tables, all where none is named: 42P01 and 42703 for what there is not.
// What is no table, or another's, is skipped with a WARNING. The session's own temporary tables
// are left as they are: they lie in memory, and what is known of tables is known to all sessions.
func (run *Runner) maintained(verb string, names []tree.Name, columns [][]string) (list []maintainedTable, err error) {
	if run.ReadOnly {
		return nil, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", strings.ToUpper(verb))
	}
	i := run.Host.Identity()
	add := func(t *catalog.Table, cols []int) {
		if owner, _ := catalog.OwnedBy(t); !i.Of.HasPrivsOf(i.Current.ID, owner) {
			run.Host.Notice(sqlerr.Warn(sqlerr.Warning, `skipping "%s" --- only table or database owner can %s it`, t.Name, verb))
			return
		}
		if !catalog.IsTemporary(t) {
			list = append(list, maintainedTable{t, cols})
		}
	}
	if len(names) == 0 {
		for _, t := range i.Of.Tables() {
			add(t, nil)
		}
		return list, nil
	}
	rels := make([]catalog.Relation, len(names))
	for k, n := range names {
		if err := i.Of.MayLookInto(i.Current.ID, n.Schema); err != nil {
			return nil, err
		}
		if rels[k], err = i.Of.Resolve(run.Host.SearchPath(), n.Schema, n.Name); err != nil {
			return nil, err
		}
	}
	for k, r := range rels {
		t, ok := r.(*catalog.Table)
		if !ok {
			run.Host.Notice(sqlerr.Warn(sqlerr.Warning, `skipping "%s" --- cannot %s non-tables or special system tables`, r.RelName(), verb))
			continue
		}
		var ids []int
		for _, name := range columns[k] {
			c := t.ColumnByName(name)
			if c == nil || c.Hidden {
				return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, name, t.Name)
			}
			if slices.Contains(ids, c.ID) {
				return nil, sqlerr.New(sqlerr.DuplicateColumn, `column "%s" of relation "%s" appears more than once`, name, t.Name)
			}
			ids = append(ids, c.ID)
		}
		add(t, ids)
	}
	return list, nil
}

func (run *Runner) analyzeAll(ctx context.Context, list []maintainedTable, verbose bool) error {
	for _, m := range list {
		if verbose {
			run.info(`analyzing "%s.%s"`, m.table.Schema, m.table.Name)
		}
		if err := run.Sizes.Analyze(ctx, m.table, m.columns); err != nil {
			return op.MapError(ctx, err, []*catalog.Table{m.table})
		}
	}
	return nil
}

// info tells what is being done, where VERBOSE asks for that.
func (run *Runner) info(format string, args ...any) {
	info := sqlerr.Notice(sqlerr.SuccessfulCompletion, format, args...)
	info.Severity = sqlerr.SeverityInfo
	run.Host.Notice(info)
}
