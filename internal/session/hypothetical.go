package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/advise"
)

// supposing gives what carries out a statement about hypothetical indexes: they are the
// session's own, so that no right, block or read-only server is in the way, and no ROLLBACK
// undoes it. nil for any other statement.
func (s *Session) supposing(u tree.Utility) func(context.Context) (string, [][]string, error) {
	switch u := u.(type) {
	case *tree.CreateIndex:
		if u.Hypothetical {
			return func(ctx context.Context) (string, [][]string, error) { return u.Tag(), nil, s.suppose(ctx, u) }
		}
	case *tree.Drop:
		if u.Object == "index" && s.numSupposed(u.Names) > 0 {
			return func(context.Context) (string, [][]string, error) { return u.Tag(), nil, s.dropSupposed(u.Names) }
		}
	}
	return nil
}

// suppose is CREATE INDEX … HYPOTHETICAL.
func (s *Session) suppose(ctx context.Context, u *tree.CreateIndex) error {
	r, err := s.runnerOf(u)
	if err != nil {
		return err
	}
	t, def, err := r.IndexDef(s.asActor(ctx), u)
	if err != nil {
		return err
	}
	ix, err := def.Build(t)
	if err != nil {
		return err
	}
	name, err := s.supposed.Add(s.snapshot(), t, ix, u.Pos)
	if u.IfNotExists && sqlerr.CodeOf(err) == sqlerr.DuplicateTable {
		s.notice(sqlerr.Notice(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, u.Name))
		return nil
	}
	if err == nil && u.Name == "" {
		s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, `the hypothetical index is named "%s"`, name))
	}
	return err
}

// numSupposed is how many of the names are those of hypothetical indexes.
func (s *Session) numSupposed(names []tree.Name) (n int) {
	for _, name := range names {
		if s.supposed.Named(s.snapshot(), s.searchPath(), name.Schema, name.Name) {
			n++
		}
	}
	return n
}

func (s *Session) dropSupposed(names []tree.Name) error {
	if s.numSupposed(names) < len(names) {
		return sqlerr.Unsupported("one DROP INDEX of hypothetical and other indexes is not supported", "Write a statement for each.")
	}
	for _, n := range names {
		s.supposed.Drop(s.snapshot(), s.searchPath(), n.Schema, n.Name)
	}
	return nil
}

// supposedContext is what a statement is planned with to show its plan, where its tables have
// hypothetical indexes; else nil.
func (s *Session) supposedContext(st *Stmt) *planner.Context {
	tables := s.supposed.Tables(s.snapshot())
	if len(tables) == 0 {
		return nil
	}
	rules, _ := s.Setting("saltsql.rules")
	return advise.WithIndexes(s.plannerContext(s.snapshot(), st.params, rules == "off"), tables)
}

// Supposed gives the tables that have hypothetical indexes, with them.
func (f sessionFuncs) Supposed() []*catalog.Table { return f.s.supposed.Tables(f.s.snapshot()) }
