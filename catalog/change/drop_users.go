package change

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// DropDependents removes the views that need a relation; without cascade they block the change.
func (ch *Change) DropDependents(r catalog.Relation, cascade bool) {
	ch.DropUsers(0, ch.Called(r), r, cascade)
}

// DropUsers removes the views that need a column of a relation, or where column is 0 the
// relation, and those that need these; without cascade they block the change. what
// is the thing that is dropped.
func (ch *Change) DropUsers(column int, what string, r catalog.Relation, cascade bool) {
	type user struct{ view, on string }
	var users []user
	seen := map[uint32]bool{}
	var collect func(id uint32, column int, what string)
	collect = func(id uint32, column int, what string) {
		var found []*catalog.View
		for _, v := range ch.Dependents(id) {
			if o, ok := ch.Get(v.ID); !ok || o.State != catalog.StatePublic || seen[v.ID] || ch.Going[v.ID] {
				continue
			}
			if used, _ := v.UsesColumn(id, column); column != 0 && !used {
				continue
			}
			seen[v.ID] = true
			users = append(users, user{ch.Called(v), what})
			found = append(found, v)
		}
		for _, v := range found {
			collect(v.ID, 0, ch.Called(v))
			if cascade {
				ch.removeView(v)
			}
		}
	}
	collect(r.RelID(), column, what)
	for _, u := range users {
		if cascade {
			ch.Cascaded = append(ch.Cascaded, u.view)
		} else {
			ch.Block(what, u.view, u.on)
		}
	}
}

// RefuseFixed refuses to rename a column that a view names in USING: 0A000.
func (ch *Change) RefuseFixed(r catalog.Relation, column int, name string, pos int) error {
	for _, v := range ch.Dependents(r.RelID()) {
		if _, fixed := v.UsesColumn(r.RelID(), column); fixed {
			return sqlerr.New(sqlerr.FeatureNotSupported, `cannot rename column "%s" because %s %s joins by its name`, name, v.RelKind(), v.Name).
				WithHint("Drop the view %s, rename the column, and create the view again with ON in the place of USING or NATURAL.", v.Name).At(pos)
		}
	}
	return nil
}

// removeView removes a view, or begins to remove a materialized one.
func (ch *Change) removeView(v *catalog.View) {
	if v.Table == nil {
		ch.Remove(v.ID)
		return
	}
	ch.DropsStored = true
	ch.Set(v.Table.Clone(), catalog.StateDropping)
}
