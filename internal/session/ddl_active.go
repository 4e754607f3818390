package session

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// notInUse refuses to change or empty a table that an open cursor of this session
// reads: 55006. Other sessions' cursors keep what they see, or fail by themselves.
func (s *Session) notInUse(u tree.Utility) error {
	if s.portals.len() < 2 { // the statement's own
		return nil
	}
	snap := s.snapshot()
	table := func(n tree.Name) *catalog.Table {
		t, _ := snap.ResolveTable(s.searchPath(), n.Schema, n.Name)
		return t
	}
	switch u := u.(type) {
	case *tree.Drop:
		switch u.Object {
		case "table", "materialized view":
			for _, n := range u.Names {
				if err := s.tableNotInUse(u.Tag(), table(n)); err != nil {
					return err
				}
			}
		case "schema":
			for _, n := range u.Names {
				for _, t := range snap.Tables() {
					if t.Schema != n.Name {
						continue
					}
					if err := s.tableNotInUse("DROP TABLE", t); err != nil {
						return err
					}
				}
			}
		}
	case *tree.DropOwned:
		for _, t := range snap.Tables() {
			if !s.ownedBy(t, u.Roles) {
				continue
			}
			if err := s.tableNotInUse("DROP TABLE", t); err != nil {
				return err
			}
		}
	case *tree.AlterTable:
		if u.Object == "table" || u.Object == "materialized view" {
			return s.tableNotInUse(u.Tag(), table(u.Name))
		}
	case *tree.Refresh:
		return s.tableNotInUse(u.Tag(), table(u.Name))
	case *tree.Truncate:
		for _, n := range u.Tables {
			if err := s.tableNotInUse("TRUNCATE", table(n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownedBy says that one of some roles owns a table.
func (s *Session) ownedBy(t *catalog.Table, roles []tree.RoleSpec) bool {
	for _, r := range roles {
		if id, err := s.runner().Role(r); err == nil && id == t.Owner {
			return true
		}
	}
	return false
}

func (s *Session) tableNotInUse(doing string, t *catalog.Table) error {
	if t == nil {
		return nil // what is wrong with the name is found later
	}
	for p := range s.portals.all {
		if p.named == nil || p.closed || p.stmt.plan == nil {
			continue
		}
		for _, used := range p.stmt.plan.Tables {
			if used.ID == t.ID {
				return sqlerr.New(sqlerr.ObjectInUse, `cannot %s "%s" because it is being used by active queries in this session`, doing, t.Name)
			}
		}
	}
	return nil
}
