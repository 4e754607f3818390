package ddl

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// Changed lists the relations that a statement changes, as it names them; not those that it
// makes.
func Changed(u tree.Utility) []tree.Name {
	switch u := u.(type) {
	case *tree.CreateIndex:
		return []tree.Name{u.Table}
	case *tree.AlterTable:
		return []tree.Name{u.Name}
	case *tree.Drop:
		switch u.Object {
		case "table", "index", "view", "materialized view", "sequence":
			return u.Names
		}
	case *tree.Truncate:
		return u.Tables
	case *tree.Refresh:
		return []tree.Name{u.Name}
	case *tree.Comment:
		switch u.Object {
		case "table", "column", "index", "view", "materialized view", "sequence":
			return []tree.Name{u.Name}
		}
	case *tree.Grant:
		switch u.Object {
		case "table", "sequence":
			return u.Names
		}
	case *tree.DetachTable:
		return u.Names
	case *tree.ShowCreateTable:
		return []tree.Name{u.Name}
	}
	return nil
}

// Made lists the relations and types that a statement makes, where it names them, and the schema.
func Made(u tree.Utility) (names []tree.Name, schema string) {
	switch u := u.(type) {
	case *tree.CreateTable:
		return []tree.Name{u.Name}, ""
	case *tree.CreateTableAs:
		return []tree.Name{u.Name}, ""
	case *tree.CreateView:
		return []tree.Name{u.Name}, ""
	case *tree.CreateSequence:
		return []tree.Name{u.Name}, ""
	case *tree.CreateEnum:
		return []tree.Name{u.Name}, ""
	case *tree.CreateDomain:
		return []tree.Name{u.Name}, ""
	case *tree.AttachTable:
		return []tree.Name{u.Name}, ""
	case *tree.CreateIndex:
		if u.Name != "" {
			return []tree.Name{{Schema: u.Table.Schema, Name: u.Name}}, ""
		}
	case *tree.CreateSchema:
		return nil, u.Name
	}
	return nil, ""
}

// ChangesNamed says that a statement changes no relation but those it names (see Changed) and
// what it makes.
func ChangesNamed(u tree.Utility) bool {
	switch u := u.(type) {
	case *tree.CreateTable, *tree.CreateTableAs, *tree.CreateIndex, *tree.CreateSchema, *tree.CreateSequence, *tree.CreateView,
		*tree.CreateEnum, *tree.CreateDomain, *tree.AlterTable, *tree.Comment, *tree.Grant, *tree.Refresh:
		return true
	case *tree.Drop:
		switch u.Object {
		case "table", "index", "view", "materialized view", "sequence":
			return !u.Cascade
		}
	}
	return false
}

// ChangesNothing says that a statement leaves the relations that it names as they are.
func ChangesNothing(u tree.Utility) bool {
	alter, ok := u.(*tree.AlterTable)
	return ok && !slices.ContainsFunc(alter.Actions, func(a tree.AlterAction) bool { return a.Kind != tree.AsItIs })
}

// OnlyMakes says that a statement makes objects, or says something about one, and changes no meaning
// of a name: a server that has not seen it finds nothing, and looks again.
func OnlyMakes(u tree.Utility) bool {
	switch u := u.(type) {
	case *tree.CreateTable, *tree.CreateTableAs, *tree.CreateIndex, *tree.CreateSchema, *tree.CreateSequence, *tree.CreateEnum, *tree.CreateDomain,
		*tree.Comment, *tree.Refresh, *tree.ShowCreateTable:
		return true
	case *tree.CreateView:
		return !u.OrReplace
	}
	return false
}

// KeepsRows says that a statement changes nothing by which rows are written and checked: it
// gives other names, owners, rights, comments and defaults, or lets NULL in.
func KeepsRows(u tree.Utility) bool {
	switch u := u.(type) {
	case *tree.Comment, *tree.Grant:
		return true
	case *tree.AlterTable:
		return !slices.ContainsFunc(u.Actions, func(a tree.AlterAction) bool {
			switch a.Kind {
			case tree.RenameTable, tree.RenameColumn, tree.RenameConstraint, tree.SetSchema, tree.OwnerTo, tree.SetDefault, tree.DropDefault, tree.DropNotNull:
				return false
			}
			return true
		})
	}
	return false
}

// InDraft says that a statement may be part of a transaction block's draft of the catalog, as far as
// can be told by its words: see live.Draft.
func InDraft(u tree.Utility) bool {
	switch u := u.(type) {
	case *tree.CreateTable, *tree.CreateIndex, *tree.CreateSchema, *tree.CreateSequence, *tree.CreateView, *tree.CreateEnum, *tree.CreateDomain, *tree.AlterTable, *tree.CreateTableAs:
		return true
	case *tree.Drop:
		switch u.Object {
		case "table", "materialized view", "index", "view", "sequence", "schema", "type", "domain":
			return true
		}
	case *tree.Comment:
		return u.Object != "role"
	case *tree.Grant:
		return u.Object == "table" || u.Object == "sequence"
	}
	return false
}
