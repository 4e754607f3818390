package infoschema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Long because of the number of the views; each of them is short and stands alone.

// The views of information_schema over schemas, tables, constraints and rights.

func init() {
	info := func(name string, rows func(q *pgcatalog.Query) error, lookup ...string) {
		pgcatalog.Source("information_schema."+name, rows, lookup...)
	}
	info("information_schema_catalog_name", func(q *pgcatalog.Query) error { return q.Row(text(q.Database())) })
	info("schemata", infoSchemata)
	info("tables", infoTables, "table_name")
	info("views", infoViews, "table_name")
	info("columns", infoColumns, "table_name")
	info("sequences", infoSequences)
	info("table_constraints", infoTableConstraints, "table_name")
	info("check_constraints", infoCheckConstraints)
	info("key_column_usage", infoKeyColumns, "table_name")
	info("constraint_column_usage", infoConstraintColumns)
	info("constraint_table_usage", infoConstraintTables)
	info("view_table_usage", infoViewTables)
	info("view_column_usage", infoViewColumns)
	info("referential_constraints", infoReferential)
	info("element_types", infoElementTypes)
	info("column_udt_usage", infoColumnTypes)
	info("table_privileges", infoTablePrivileges)
	info("role_table_grants", infoTablePrivileges)
	info("column_privileges", infoColumnPrivileges)
	info("role_column_grants", infoColumnPrivileges)
	info("usage_privileges", infoUsagePrivileges)
	info("role_usage_grants", infoUsagePrivileges)
	info("enabled_roles", func(q *pgcatalog.Query) error {
		return q.EachRole("", "role_name", func(r *catalog.Role) error {
			if !q.Snap.HasPrivsOf(q.Role(), r.ID) {
				return nil
			}
			return q.Row(text(r.Name))
		})
	})
	info("character_sets", func(q *pgcatalog.Query) error {
		return q.Row(null, null, text("UTF8"), text("UCS"), text("UTF8"), text(q.Database()), text("pg_catalog"), text("C"))
	})
	info("collations", func(q *pgcatalog.Query) error {
		return collations(q, func(name string) error {
			return q.Row(text(q.Database()), text("pg_catalog"), text(name), text("NO PAD"))
		})
	})
	info("collation_character_set_applicability", func(q *pgcatalog.Query) error {
		return collations(q, func(name string) error {
			return q.Row(text(q.Database()), text("pg_catalog"), text(name), null, null, text("UTF8"))
		})
	})
}

func collations(q *pgcatalog.Query, row func(name string) error) error {
	for _, name := range []string{"default", "C", "POSIX"} {
		if err := row(name); err != nil {
			return err
		}
	}
	return nil
}

// yesNo is a yes_or_no.
func yesNo(v bool) types.Datum {
	if v {
		return text("YES")
	}
	return text("NO")
}

func infoSchemata(q *pgcatalog.Query) error {
	add := func(name string, owner uint32) error {
		rights, _ := q.Snap.SchemaRights(q.Role(), name)
		if !q.IsText("schema_name", name) || rights&acl.Schema.All() == 0 && !q.Snap.HasPrivsOf(q.Role(), owner) {
			return nil
		}
		return q.Row(text(q.Database()), text(name), text(q.RoleName(owner)), null, null, null, null)
	}
	return q.EachSchema(func(_ uint32, name string, owner uint32, _ *acl.List) error { return add(name, owner) })
}

// tablesAndViews visits those that table_schema and table_name may name.
func tablesAndViews(q *pgcatalog.Query, visit func(c *pgcatalog.Class) error) error {
	return q.Classes("", "table_name", func(c *pgcatalog.Class) error {
		if c.Kind != 'r' && c.Kind != 'v' || !q.IsText("table_schema", c.Schema) || !mayKnow(q, c) {
			return nil
		}
		return visit(c)
	})
}

func infoTables(q *pgcatalog.Query) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		kind := "BASE TABLE"
		switch {
		case catalog.IsTempSchema(c.Schema):
			kind = "LOCAL TEMPORARY"
		case c.Kind == 'v':
			kind = "VIEW"
		}
		if !q.IsText("table_type", kind) {
			return nil
		}
		return q.Row(text(q.Database()), text(c.Schema), text(c.Name), text(kind), null, null, null, null, null, yesNo(writable(q, c) != nil),
			yesNo(false), null)
	})
}

func infoViews(q *pgcatalog.Query) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		if c.Kind != 'v' {
			return nil
		}
		def, check := null, "NONE"
		if c.View != nil {
			if owns(q, c.View) {
				def = text(q.Snap.In(q.SearchPath()).ViewText(c.View))
			}
			if c.View.Check != "" {
				check = strings.ToUpper(c.View.Check)
			}
		}
		writes := yesNo(writable(q, c) != nil)
		return q.Row(text(q.Database()), text(c.Schema), text(c.Name), def, text(check), writes, writes, yesNo(false),
			yesNo(false), yesNo(false))
	})
}

// typeInfo are the columns that several views have of a type.
func typeInfo(q *pgcatalog.Query, row map[string]types.Datum, a pgcatalog.Attribute) {
	t := a.Typ
	if d := t.Domain(); d != nil { // what it is over is shown
		t = d.Def().Domain.Base
	}
	schema, name := pgcatalog.TypeSchema(t)
	row["udt_catalog"], row["udt_schema"], row["udt_name"] = text(q.Database()), text(schema), text(name)
	row["dtd_identifier"] = text(fmt.Sprint(a.Num))
	if t.Kind == types.Array && !t.IsVector() && t.Elem != types.Unknown && t.Domain() == nil {
		row["data_type"] = text("ARRAY")
		return
	}
	if t.User() != nil || t.Domain() != nil {
		row["data_type"] = text("USER-DEFINED")
		return
	}
	row["data_type"] = text(pgcatalog.TypeText(t.OID(), -1))
	mod := t.Typmod()
	if n, ok := charLength(t); ok {
		row["character_maximum_length"] = num(n)
	}
	if n, ok := octetLength(t); ok {
		row["character_octet_length"] = num(n)
	}
	if n, ok := numericPrecision(t); ok {
		row["numeric_precision"] = num(n)
	}
	if n, ok := numericRadix(t); ok {
		row["numeric_precision_radix"] = num(n)
	}
	if n, ok := numericScale(t); ok {
		row["numeric_scale"] = num(n)
	}
	if n, ok := datetimePrecision(t, mod); ok {
		row["datetime_precision"] = num(n)
	}
	if d := intervalType(t); !d.Null {
		row["interval_type"] = d
	}
}

// writable says which columns of a table or a view can be written; nil where none can.
func writable(q *pgcatalog.Query, c *pgcatalog.Class) []bool {
	switch {
	case c.View != nil:
		return q.Updatable(c.View)
	case c.Table != nil:
		return slices.Repeat([]bool{true}, len(c.Table.Visible()))
	}
	return nil
}

func infoColumns(q *pgcatalog.Query) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		var updatable []bool
		if c.View != nil {
			updatable = writable(q, c)
		}
		for _, a := range c.Attributes() {
			if !q.IsText("column_name", a.Name) || !mayKnowColumn(q, c, a.Num) {
				continue
			}
			row := columnRow(q, c, a)
			if a.Num <= len(updatable) {
				row["is_updatable"] = yesNo(updatable[a.Num-1])
			}
			if err := q.Named(row); err != nil {
				return err
			}
		}
		return nil
	})
}

func columnRow(q *pgcatalog.Query, c *pgcatalog.Class, a pgcatalog.Attribute) map[string]types.Datum {
	row := map[string]types.Datum{
		"table_catalog": text(q.Database()), "table_schema": text(c.Schema), "table_name": text(c.Name), "column_name": text(a.Name),
		"ordinal_position": num(a.Num), "is_nullable": yesNo(!a.NotNull), "is_self_referencing": yesNo(false),
		"is_identity": yesNo(a.Identity != 0), "identity_cycle": yesNo(false), "is_generated": text("NEVER"), "is_updatable": yesNo(c.Table != nil),
	}
	typeInfo(q, row, a)
	if schema, name := domainOf(q, a); name != "" {
		row["domain_catalog"], row["domain_schema"], row["domain_name"] = text(q.Database()), text(schema), text(name)
	}
	if c.HasCollation(a.Num) {
		row["collation_catalog"], row["collation_schema"], row["collation_name"] = text(q.Database()), text("pg_catalog"), text("C")
	}
	if a.HasDef {
		row["column_default"] = optional(q.DefaultText(c.OID, a.Num))
	}
	if a.Generated {
		row["is_generated"], row["generation_expression"] = text("ALWAYS"), row["column_default"]
		delete(row, "column_default")
	}
	if a.Identity == 0 || c.Table == nil {
		return row
	}
	generation := "BY DEFAULT"
	if a.Identity == 'a' {
		generation = "ALWAYS"
	}
	row["identity_generation"] = text(generation)
	for _, s := range q.Snap.OwnedSequences(c.OID) {
		if s.OwnerColumn == a.Num {
			row["identity_start"], row["identity_increment"] = text(fmt.Sprint(s.Start)), text(fmt.Sprint(s.Increment))
			row["identity_maximum"], row["identity_minimum"] = text(fmt.Sprint(s.Max)), text(fmt.Sprint(s.Min))
			row["identity_cycle"] = yesNo(s.Cycle)
		}
	}
	return row
}

func infoSequences(q *pgcatalog.Query) error {
	for _, s := range q.Snap.Sequences() {
		if !q.IsText("sequence_schema", s.Schema) || !q.IsText("sequence_name", s.Name) {
			continue
		}
		if owned := q.Snap.TableByID(s.OwnerTable); owned != nil {
			if c := owned.ColumnByID(s.OwnerColumn); c != nil && c.Identity != 0 {
				continue
			}
		}
		if rights, _ := q.Snap.RelationRights(q.Role(), s); rights&acl.Sequence.All() == 0 && !owns(q, s) {
			continue
		}
		t := types.Of(s.Type)
		bits, _ := numericPrecision(t)
		err := q.Row(text(q.Database()), text(s.Schema), text(s.Name), text(t.String()), num(bits), num(2), num(0), text(fmt.Sprint(s.Start)),
			text(fmt.Sprint(s.Min)), text(fmt.Sprint(s.Max)), text(fmt.Sprint(s.Increment)), yesNo(s.Cycle))
		if err != nil {
			return err
		}
	}
	return nil
}

// notNulls visits the columns that are NOT NULL, which information_schema shows as
// constraints, with the names that PostgreSQL makes for those.
func notNulls(q *pgcatalog.Query, c *pgcatalog.Class, visit func(name string, a pgcatalog.Attribute) error) error {
	for _, a := range c.Attributes() {
		if a.NotNull {
			if err := visit(fmt.Sprintf("%d_%d_%d_not_null", pgcatalog.SchemaOID(q.Snap, c.Schema), c.OID, a.Num), a); err != nil {
				return err
			}
		}
	}
	return nil
}

// tablesOfUsers visits those that constraint_schema and table_name may be of.
func tablesOfUsers(q *pgcatalog.Query, visit func(c *pgcatalog.Class) error) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		if c.Table == nil || !q.IsText("constraint_schema", c.Schema) {
			return nil
		}
		return visit(c)
	})
}

var constraintTypes = map[byte]string{'p': "PRIMARY KEY", 'c': "CHECK", 'u': "UNIQUE", 'f': "FOREIGN KEY"}

func infoTableConstraints(q *pgcatalog.Query) error {
	return tablesOfUsers(q, func(c *pgcatalog.Class) error {
		if !mayChange(q, c) {
			return nil
		}
		deferrable, deferred := false, false
		add := func(name, kind string) error {
			if !q.IsText("constraint_name", name) || !q.IsText("constraint_type", kind) {
				return nil
			}
			nulls := null
			if kind == "UNIQUE" {
				nulls = yesNo(true)
			}
			return q.Row(text(q.Database()), text(c.Schema), text(name), text(q.Database()), text(c.Schema), text(c.Name), text(kind),
				yesNo(deferrable), yesNo(deferred), yesNo(true), nulls)
		}
		for _, k := range pgcatalog.ConstraintsOf(c.Table) {
			deferrable, deferred = k.Key != nil && k.Key.Deferrable, k.Key != nil && k.Key.Deferred
			if err := add(k.Name, constraintTypes[k.Kind]); err != nil {
				return err
			}
		}
		return notNulls(q, c, func(name string, _ pgcatalog.Attribute) error { return add(name, "CHECK") })
	})
}

func infoCheckConstraints(q *pgcatalog.Query) error {
	if err := infoDomainChecks(q); err != nil {
		return err
	}
	return tablesOfUsers(q, func(c *pgcatalog.Class) error {
		if !owns(q, c.Table) {
			return nil
		}
		add := func(name, clause string) error {
			if !q.IsText("constraint_name", name) {
				return nil
			}
			return q.Row(text(q.Database()), text(c.Schema), text(name), text(clause))
		}
		for _, k := range pgcatalog.ConstraintsOf(c.Table) {
			if k.Check == nil {
				continue
			}
			clause := "(" + q.CheckText(c.OID, k.Name) + ")"
			if k.Check.NotValid {
				clause += " NOT VALID"
			}
			if err := add(k.Name, clause); err != nil {
				return err
			}
		}
		return notNulls(q, c, func(name string, a pgcatalog.Attribute) error { return add(name, ident.Quote(a.Name)+" IS NOT NULL") })
	})
}

func infoKeyColumns(q *pgcatalog.Query) error {
	return tablesOfUsers(q, func(c *pgcatalog.Class) error {
		for _, x := range pgcatalog.IndexesOf(c.Table) {
			if x.Constraint == 0 || !q.IsText("constraint_name", x.Name) {
				continue
			}
			for i, name := range x.ColumnNames() {
				if col := c.Table.ColumnByName(name); col != nil && !mayKnowColumn(q, c, col.ID) {
					continue
				}
				err := q.Row(text(q.Database()), text(c.Schema), text(x.Name), text(q.Database()), text(c.Schema), text(c.Name), text(name),
					num(i+1), null)
				if err != nil {
					return err
				}
			}
		}
		for i := range c.Table.ForeignKeys {
			k := &c.Table.ForeignKeys[i]
			x := pgcatalog.ReferencedIndex(q.Snap, k)
			for n, id := range k.Columns {
				if !mayKnowColumn(q, c, id) {
					continue
				}
				position := null
				if x != nil {
					position = num(x.Position(k.References[n]))
				}
				err := q.Row(text(q.Database()), text(c.Schema), text(k.Name), text(q.Database()), text(c.Schema), text(c.Name),
					text(catalog.ColumnName(c.Table, id)), num(n+1), position)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func infoConstraintColumns(q *pgcatalog.Query) error {
	return tablesOfUsers(q, func(c *pgcatalog.Class) error {
		for _, k := range pgcatalog.ConstraintsOf(c.Table) {
			if !q.IsText("constraint_name", k.Name) {
				continue
			}
			of, columns := c.Table, k.ColumnIDs()
			if k.Key != nil { // what it names
				if of = q.Snap.TableByID(k.Key.Table); of == nil {
					continue
				}
				columns = k.Key.References
			}
			if !owns(q, of) {
				continue
			}
			for _, id := range columns {
				col := of.ColumnByID(id)
				if col == nil {
					continue
				}
				err := q.Row(text(q.Database()), text(of.Schema), text(of.Name), text(col.Name), text(q.Database()), text(c.Schema), text(k.Name))
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func infoConstraintTables(q *pgcatalog.Query) error {
	return tablesOfUsers(q, func(c *pgcatalog.Class) error {
		for _, k := range pgcatalog.ConstraintsOf(c.Table) {
			of := c.Table
			if k.Key != nil {
				of = q.Snap.TableByID(k.Key.Table)
			}
			if k.Check != nil || of == nil || !owns(q, of) {
				continue
			}
			err := q.Row(text(q.Database()), text(of.Schema), text(of.Name), text(q.Database()), text(c.Schema), text(k.Name))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoReferential(q *pgcatalog.Query) error {
	rules := map[byte]string{'a': "NO ACTION", 'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}
	return tablesOfUsers(q, func(c *pgcatalog.Class) error {
		if !mayChange(q, c) {
			return nil
		}
		for i := range c.Table.ForeignKeys {
			k := &c.Table.ForeignKeys[i]
			database, schema, name, match := null, null, null, "NONE"
			if x := pgcatalog.ReferencedIndex(q.Snap, k); x != nil {
				database, schema, name = text(q.Database()), text(x.Table.Schema), text(x.Name)
			}
			if k.Full {
				match = "FULL"
			}
			err := q.Row(text(q.Database()), text(c.Schema), text(k.Name), database, schema, name, text(match), text(rules[k.OnUpdate]), text(rules[k.OnDelete]))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoViewTables(q *pgcatalog.Query) error {
	for _, v := range q.Snap.Views() {
		for _, id := range v.DependsOn {
			r := q.Snap.ByID(id)
			if r == nil || r.RelKind() == "sequence" || r.RelKind() == "materialized view" || !owns(q, r) {
				continue
			}
			err := q.Row(text(q.Database()), text(v.Schema), text(v.Name), text(q.Database()), text(r.RelSchema()), text(r.RelName()))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func infoViewColumns(q *pgcatalog.Query) error {
	for _, v := range q.Snap.Views() {
		for _, u := range v.Uses {
			r := q.Snap.ByID(u.Relation)
			if r == nil || r.RelKind() == "materialized view" || !owns(q, r) {
				continue
			}
			err := q.Row(text(q.Database()), text(v.Schema), text(v.Name), text(q.Database()), text(r.RelSchema()), text(r.RelName()),
				text(catalog.ColumnName(r, u.Column)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func infoElementTypes(q *pgcatalog.Query) error {
	return q.Classes("", "object_name", func(c *pgcatalog.Class) error {
		if c.Kind != 'r' && c.Kind != 'v' || !q.IsText("object_schema", c.Schema) || !mayKnow(q, c) {
			return nil
		}
		for _, a := range c.Attributes() {
			if a.Typ.Kind != types.Array || a.Typ.Elem == types.Unknown {
				continue
			}
			kind := "TABLE"
			if c.Kind == 'v' {
				kind = "VIEW"
			}
			elem := a.Typ.ElemType().Base()
			schema, name := pgcatalog.TypeSchema(elem)
			data := elem.String()
			if elem.User() != nil {
				data = "USER-DEFINED"
			}
			err := q.Named(map[string]types.Datum{
				"object_catalog": text(q.Database()), "object_schema": text(c.Schema), "object_name": text(c.Name), "object_type": text(kind),
				"collection_type_identifier": text(fmt.Sprint(a.Num)), "data_type": text(data), "udt_catalog": text(q.Database()),
				"udt_schema": text(schema), "udt_name": text(name), "dtd_identifier": text(fmt.Sprintf("a%d", a.Num)),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoColumnTypes(q *pgcatalog.Query) error {
	return tablesAndViews(q, func(c *pgcatalog.Class) error {
		for _, a := range c.Attributes() {
			if !ownsType(q, a.Typ.Base()) {
				continue
			}
			schema, name := pgcatalog.TypeSchema(a.Typ.Base())
			err := q.Row(text(q.Database()), text(schema), text(name), text(q.Database()), text(c.Schema), text(c.Name), text(a.Name))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
