package identity

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// Checked is for whom the rights that a plan needs were last looked at.
type Checked struct {
	plan *plan.Plan
	role uint32
	of   *catalog.Snapshot
}

// MayRun refuses a plan that the role has not the rights for: 42501. last is for whom they were
// last looked at.
func (i *Identity) MayRun(p *plan.Plan, last *Checked) error {
	if i.Superuser && !p.AsOthers {
		return nil
	}
	is := Checked{p, i.Current.ID, i.Of}
	if *last == is {
		return nil
	}
	// PostgreSQL names the first view that may not be used, and a table where there is none.
	var refused catalog.Relation
	for _, r := range p.Rights {
		role := i.Current.ID
		if r.As != 0 {
			role = r.As
		}
		rel := i.Of.ByID(r.Relation)
		if rel == nil || r.Held(i.Of, role, rel) {
			continue // what is gone has made the plan no good either
		}
		if _, isView := rel.(*catalog.View); isView || refused == nil {
			if refused = rel; isView {
				break
			}
		}
	}
	if refused != nil {
		return catalog.Denied(refused.RelKind(), refused.RelName())
	}
	*last = is
	return nil
}

// MayFill refuses a plan that fills a materialized view with what its owner may not read: 42501.
func MayFill(snap *catalog.Snapshot, p *plan.Plan, to *catalog.Table) error {
	for _, r := range p.Rights {
		rel := snap.ByID(r.Relation)
		if rel == nil || r.Relation == to.ID {
			continue
		}
		role := r.As
		if role == 0 {
			role = to.Owner
		}
		if !r.Held(snap, role, rel) {
			return catalog.Denied(rel.RelKind(), rel.RelName())
		}
	}
	return nil
}

// LookingAs is the catalog as a role sees it: a schema that it may not use is refused where a
// name has it.
type LookingAs struct {
	*catalog.Snapshot
	role uint32
}

// Resolve is the snapshot's: 42501 for a schema that may not be used.
func (l LookingAs) Resolve(path []string, schema, name string) (catalog.Relation, error) {
	if err := l.MayLookInto(l.role, schema); err != nil {
		return nil, err
	}
	return l.Snapshot.Resolve(path, schema, name)
}

// UserType is the snapshot's: 42501 for a schema that may not be used.
func (l LookingAs) UserType(n catalog.Name, array bool) (types.T, error) {
	if err := l.MayLookInto(l.role, n.Schema); err != nil {
		return types.T{}, err
	}
	return l.Snapshot.UserType(n, array)
}

// Looking is the catalog as the role sees it.
func (i *Identity) Looking(snap *catalog.Snapshot) LookingAs { return LookingAs{snap, i.Current.ID} }

// Usable leaves out of a search path what the role may not look into.
func (i *Identity) Usable(path []string) []string {
	if i.Superuser {
		return path
	}
	out := path[:0:0]
	for _, p := range path {
		if i.Of.Schema(p) == nil && !catalog.IsSystemSchema(p) || i.Of.MayUse(i.Current.ID, p) {
			out = append(out, p)
		}
	}
	if out == nil {
		out = []string{}
	}
	return out
}

// SequenceRight refuses a function over a sequence: 42501. Who may insert into a table may
// draw from its identity columns' sequences.
func (i *Identity) SequenceRight(q *catalog.Sequence, want acl.Right) error {
	if i.Superuser {
		return nil
	}
	if rights, _ := i.Of.RelationRights(i.Current.ID, q); rights&want != 0 {
		return nil
	}
	if t := i.Of.TableByID(q.OwnerTable); t != nil && want&acl.Update != 0 && want&acl.Usage != 0 {
		for k := range t.Columns {
			if c := &t.Columns[k]; c.ID == q.OwnerColumn && c.Identity != 0 && i.Of.AnyColumn(i.Current.ID, t, acl.Insert) {
				return nil
			}
		}
	}
	return catalog.Denied("sequence", q.Name)
}

// ShownColumns says which columns of a table an error may show of a failing row: those that the
// role may read, and those that the statement gave their values. nil is all.
func (i *Identity) ShownColumns(p *plan.Plan, t *catalog.Table) []bool {
	if rights, _ := i.Of.RelationRights(i.Current.ID, t); rights&acl.Select != 0 {
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
		rights, _ := i.Of.ColumnRights(i.Current.ID, t, id)
		shown[k] = given[id] || rights&acl.Select != 0
	}
	return shown
}

// Hide takes out of an error what the role may not read: the values of a key that is there
// already.
func (i *Identity) Hide(err error) error {
	e := sqlerr.As(err)
	if e == nil || e.Detail == "" || e.Table == "" || e.Code != sqlerr.UniqueViolation {
		return err
	}
	if i.Superuser {
		return err
	}
	t := i.Of.Table(e.Schema, e.Table)
	if t != nil {
		if rights, _ := i.Of.RelationRights(i.Current.ID, t); rights&acl.Select != 0 {
			return err
		}
		if key := keyOf(t, e.Constraint); len(key) > 0 && i.readsAll(t, key) {
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

func (i *Identity) readsAll(t *catalog.Table, columns []int) bool {
	for _, k := range columns {
		if rights, _ := i.Of.ColumnRights(i.Current.ID, t, t.Columns[k].ID); rights&acl.Select == 0 {
			return false
		}
	}
	return true
}

// Owns says that the role may do what only a table's owner may.
func (i *Identity) Owns(t *catalog.Table) bool {
	owner, _ := catalog.OwnedBy(t)
	return i.Of.HasPrivsOf(i.Current.ID, owner)
}

// MaySignal says that the role may not cancel what another's session does, or end it, which
// is what: 42501.
func (i *Identity) MaySignal(role uint32, what string) error {
	word, done := "query", "query is being canceled"
	if what == "terminate" {
		word, done = "process", "process is being terminated"
	}
	switch {
	case i.Superuser:
	case i.Of.IsSuperuser(role):
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be a superuser to %s superuser %s", what, word)
	case !i.Of.HasPrivsOf(i.Current.ID, role) && !i.Of.HasPrivsOf(i.Current.ID, catalog.RoleSignalBackend):
		return sqlerr.New(sqlerr.InsufficientPrivilege, "must be a member of the role whose %s or member of pg_signal_backend", done)
	}
	return nil
}

// SearchPath reads the setting of that name: the schemas to look in, in order, but for those
// that the role may not look into. It is never nil.
func (i *Identity) SearchPath(setting string) []string {
	path := []string{}
	for _, p := range strings.Split(setting, ",") {
		p = strings.TrimSpace(p)
		if len(p) >= 2 && p[0] == '"' {
			p = strings.ReplaceAll(p[1:len(p)-1], `""`, `"`)
		}
		if p == "$user" {
			if p = i.Current.Name; catalog.IsSystemSchema(p) {
				continue // that a user has its name does not make it the user's
			}
		}
		if p != "" {
			path = append(path, p)
		}
	}
	return i.Usable(path)
}
