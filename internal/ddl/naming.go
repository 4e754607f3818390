package ddl

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Naming is what the names of a statement mean to a session.
type Naming struct {
	Snapshot *catalog.Snapshot // with the session's temporary tables
	Path     []string          // the schemas to look in, in order
	Temp     string            // the schema of its temporary tables; "" where it has had none
	Role     func(tree.RoleSpec) (uint32, error)
}

// OfTemporary says that a statement changes temporary relations; 0A000 where it changes others
// too.
func (n Naming) OfTemporary(u tree.Utility) (bool, error) {
	names := Changed(u)
	temps := 0
	for _, name := range names {
		if n.isTemporary(name) {
			temps++
		}
	}
	if temps > 0 && temps < len(names) {
		return false, sqlerr.Unsupported("one "+u.Tag()+" of temporary and other tables is not supported", "Write a statement for each.")
	}
	return temps > 0, nil
}

// isTemporary says that a name is one of a temporary relation or its index.
func (n Naming) isTemporary(of tree.Name) bool {
	name := catalog.Name{Schema: of.Schema, Name: of.Name, Path: n.Path}
	if r := n.Snapshot.LookupOwn(name); r != nil {
		return catalog.IsTemporary(r)
	}
	t, _ := n.Snapshot.IndexNamed(name)
	return t != nil && catalog.IsTemporary(t)
}

// MakesTemporary says that a statement makes a temporary table or view: by its word, or by the
// schema.
func (n Naming) MakesTemporary(u tree.Utility) bool {
	var name tree.Name
	switch u := u.(type) {
	case *tree.CreateTable:
		if name = u.Name; u.Temp {
			return true
		}
	case *tree.CreateTableAs:
		if name = u.Name; u.Temp {
			return true
		}
	case *tree.CreateView:
		if name = u.Name; u.Temp {
			return true
		}
	default:
		return false
	}
	if name.Schema != "" {
		return n.IsTemp(name.Schema)
	}
	for _, schema := range n.Path {
		if n.IsTemp(schema) {
			return true
		}
		if n.Snapshot.Schema(schema) != nil {
			return false
		}
	}
	return false
}

// IsTemp says that a schema is the one of the session's temporary tables.
func (n Naming) IsTemp(schema string) bool {
	return schema == catalog.TempSchema || n.Temp != "" && schema == n.Temp
}

// NotInUse refuses to change or empty a table that the session uses by itself: 55006.
func (n Naming) NotInUse(u tree.Utility, used func(*catalog.Table) bool) error {
	tag := u.Tag()
	var tables []*catalog.Table
	add := func(names ...tree.Name) {
		for _, name := range names {
			// What is wrong with the name is found later.
			if t, err := n.Snapshot.ResolveTable(n.Path, name.Schema, name.Name); err == nil && t != nil {
				tables = append(tables, t)
			}
		}
	}
	switch u := u.(type) {
	case *tree.Drop:
		switch u.Object {
		case "table", "materialized view":
			add(u.Names...)
		case "schema":
			tag = "DROP TABLE"
			for _, schema := range u.Names {
				for _, t := range n.Snapshot.Tables() {
					if t.Schema == schema.Name {
						tables = append(tables, t)
					}
				}
			}
		}
	case *tree.DropOwned:
		tag = "DROP TABLE"
		for _, r := range u.Roles {
			of, err := n.Role(r)
			for _, t := range n.Snapshot.Tables() {
				if err == nil && t.Owner == of {
					tables = append(tables, t)
				}
			}
		}
	case *tree.AlterTable:
		if u.Object == "table" || u.Object == "materialized view" {
			add(u.Name)
		}
	case *tree.Refresh:
		add(u.Name)
	case *tree.Truncate:
		tag = "TRUNCATE"
		add(u.Tables...)
	}
	if i := slices.IndexFunc(tables, used); i >= 0 {
		return sqlerr.New(sqlerr.ObjectInUse, `cannot %s "%s" because it is being used by active queries in this session`, tag, tables[i].Name)
	}
	return nil
}
