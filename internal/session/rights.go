package session

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

const aclConnect = acl.Connect

// checked is for whom the rights that a plan needs were last looked at.
type checked struct {
	plan *plan.Plan
	role uint32
	of   *catalog.Snapshot
}

// mayRun refuses a plan that the session's role has not the rights for: 42501. It looks once,
// and again where the role or the catalog has changed.
func (s *Session) mayRun(st *Stmt) error {
	if err := s.hasRights(st); err != nil {
		return err
	}
	return populated(st.plan, nil)
}

// populated refuses a plan that reads a materialized view without rows, but for one: 55000.
func populated(p *plan.Plan, but *catalog.Table) error {
	for _, t := range p.Tables {
		if m := t.Materialized; m != nil && !m.Populated && t != but {
			return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `materialized view "%s" has not been populated`, t.Name).
				WithHint("Use the REFRESH MATERIALIZED VIEW command.")
		}
	}
	return nil
}

func (s *Session) hasRights(st *Stmt) error {
	i := s.identity()
	if i.superuser && !st.plan.AsOthers {
		return nil
	}
	is := checked{st.plan, i.current.id, i.of}
	if st.allowed == is {
		return nil
	}
	for _, r := range st.plan.Rights {
		role := i.current.id
		if r.As != 0 {
			role = r.As
		}
		rel := i.of.ByID(r.Relation)
		if rel == nil {
			continue // it is gone: the plan is no more good either
		}
		if !r.Held(i.of, role, rel) {
			return catalog.Denied(rel.RelKind(), rel.RelName())
		}
	}
	st.allowed = is
	return nil
}

// asActor gives the catalog calls of a statement the session's role.
func (s *Session) asActor(ctx context.Context) context.Context {
	return catalog.WithActor(ctx, s.identity().current.id, s.opts.Database)
}

// lookingAs is the catalog as a role sees it: a schema that it may not use is refused where a
// name has it.
type lookingAs struct {
	*catalog.Snapshot
	role uint32
}

// Resolve is the snapshot's: 42501 for a schema that may not be used.
func (l lookingAs) Resolve(path []string, schema, name string) (catalog.Relation, error) {
	if schema != "" && (l.Schema(schema) != nil || catalog.IsSystemSchema(schema)) && !l.MayUse(l.role, schema) {
		return nil, catalog.Denied("schema", schema)
	}
	return l.Snapshot.Resolve(path, schema, name)
}

// seen is the catalog as the session's role sees it.
func (s *Session) seen(snap *catalog.Snapshot) planner.Catalog {
	if i := s.identity(); !i.superuser {
		return lookingAs{snap, i.current.id}
	}
	return snap
}

// usable leaves out of a search path what the session's role may not look into.
func (s *Session) usable(path []string) []string {
	i := s.identity()
	if i.superuser {
		return path
	}
	out := path[:0:0]
	for _, p := range path {
		if i.of.Schema(p) == nil && !catalog.IsSystemSchema(p) || i.of.MayUse(i.current.id, p) {
			out = append(out, p)
		}
	}
	if out == nil {
		out = []string{}
	}
	return out
}

// sequenceRight refuses a function over a sequence: 42501. Who may insert into a table may
// draw from its identity columns' sequences.
func (s *Session) sequenceRight(q *catalog.Sequence, want acl.Right) error {
	i := s.identity()
	if i.superuser {
		return nil
	}
	if rights, _ := i.of.RelationRights(i.current.id, q); rights&want != 0 {
		return nil
	}
	if t := i.of.TableByID(q.OwnerTable); t != nil && want&acl.Update != 0 && want&acl.Usage != 0 {
		for k := range t.Columns {
			if c := &t.Columns[k]; c.ID == q.OwnerColumn && c.Identity != 0 && i.of.AnyColumn(i.current.id, t, acl.Insert) {
				return nil
			}
		}
	}
	return catalog.Denied("sequence", q.Name)
}

// shownColumns says which columns of a table an error may show of a failing row: those that the
// role may read, and those that the statement gave their values. nil is all.
func (s *Session) shownColumns(p *plan.Plan, t *catalog.Table) []bool {
	i := s.identity()
	if rights, _ := i.of.RelationRights(i.current.id, t); rights&acl.Select != 0 {
		return nil
	}
	given := map[int]bool{}
	for _, r := range p.Rights {
		if r.Relation == t.ID {
			for _, c := range append(slices.Clone(r.Inserted), r.Updated...) {
				given[c] = true
			}
		}
	}
	shown := make([]bool, len(t.Columns))
	for k := range t.Columns {
		id := t.Columns[k].ID
		rights, _ := i.of.ColumnRights(i.current.id, t, id)
		shown[k] = given[id] || rights&acl.Select != 0
	}
	return shown
}

// hide takes out of an error what the role may not read: the values of a key that is there
// already.
func (s *Session) hide(err error) error {
	e := sqlerr.As(err)
	if e == nil || e.Detail == "" || e.Table == "" || e.Code != sqlerr.UniqueViolation {
		return err
	}
	i := s.identity()
	if i.superuser {
		return err
	}
	t := i.of.Table(e.Schema, e.Table)
	if t != nil {
		if rights, _ := i.of.RelationRights(i.current.id, t); rights&acl.Select != 0 {
			return err
		}
		if key := keyOf(t, e.Constraint); len(key) > 0 && s.readsAll(t, key) {
			return err
		}
	}
	own := *e
	own.Detail = ""
	return &own
}

// keyOf gives the columns of a table's unique constraint, by place.
func keyOf(t *catalog.Table, constraint string) []int {
	if constraint == t.PrimaryKeyName {
		return t.PrimaryKey
	}
	for _, x := range t.Indexes {
		if x.Name != constraint {
			continue
		}
		var key []int
		for _, p := range x.Parts {
			k := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.ID == p.Column })
			if k < 0 {
				return nil // of an expression: who may not read the table does not see its value
			}
			key = append(key, k)
		}
		return key
	}
	return nil
}

func (s *Session) readsAll(t *catalog.Table, columns []int) bool {
	i := s.identity()
	for _, k := range columns {
		if rights, _ := i.of.ColumnRights(i.current.id, t, t.Columns[k].ID); rights&acl.Select == 0 {
			return false
		}
	}
	return true
}
