package pgcatalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Long because of the number of the views; each of them is short and stands alone.

// The views of information_schema over schemas, tables, constraints and rights.

func init() {
	info := func(name string, rows rowsFunc, lookup ...string) {
		source("information_schema."+name, rows, lookup...)
	}
	info("information_schema_catalog_name", func(q *query) error { return q.row(text(q.Database())) })
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
	info("enabled_roles", func(q *query) error {
		return q.eachRole("", "role_name", func(r *catalog.Role) error {
			if !q.snap.HasPrivsOf(q.Role(), r.ID) {
				return nil
			}
			return q.row(text(r.Name))
		})
	})
	info("character_sets", func(q *query) error {
		return q.row(null, null, text("UTF8"), text("UCS"), text("UTF8"), text(q.Database()), text("pg_catalog"), text("C"))
	})
	info("collations", func(q *query) error {
		return q.collations(func(name string) error {
			return q.row(text(q.Database()), text("pg_catalog"), text(name), text("NO PAD"))
		})
	})
	info("collation_character_set_applicability", func(q *query) error {
		return q.collations(func(name string) error {
			return q.row(text(q.Database()), text("pg_catalog"), text(name), null, null, text("UTF8"))
		})
	})
}

func (q *query) collations(row func(name string) error) error {
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

func infoSchemata(q *query) error {
	add := func(name string, owner uint32) error {
		rights, _ := q.snap.SchemaRights(q.Role(), name)
		if !q.isText("schema_name", name) || rights&acl.Schema.All() == 0 && !q.snap.HasPrivsOf(q.Role(), owner) {
			return nil
		}
		by, _ := roleName(q, q.snap, owner)
		return q.row(text(q.Database()), text(name), text(by), null, null, null, null)
	}
	for _, s := range systemSchemas {
		if err := add(s.name, superuserOID); err != nil {
			return err
		}
	}
	for _, s := range q.snap.Schemas() {
		if err := add(s.Name, s.Owner); err != nil {
			return err
		}
	}
	return nil
}

// tablesAndViews visits those that table_schema and table_name may name.
func (q *query) tablesAndViews(visit func(c *class) error) error {
	return q.classes("", "table_name", func(c *class) error {
		if c.kind != 'r' && c.kind != 'v' || !q.isText("table_schema", c.schema) || !q.mayKnow(c) {
			return nil
		}
		return visit(c)
	})
}

func infoTables(q *query) error {
	return q.tablesAndViews(func(c *class) error {
		kind := "BASE TABLE"
		switch {
		case c.kind == 'v':
			kind = "VIEW"
		case catalog.IsTempSchema(c.schema):
			kind = "LOCAL TEMPORARY"
		}
		if !q.isText("table_type", kind) {
			return nil
		}
		return q.row(text(q.Database()), text(c.schema), text(c.name), text(kind), null, null, null, null, null, yesNo(q.updatable(c) != nil),
			yesNo(false), null)
	})
}

func infoViews(q *query) error {
	return q.tablesAndViews(func(c *class) error {
		if c.kind != 'v' {
			return nil
		}
		def, check := null, "NONE"
		if c.view != nil {
			def = text(q.snap.In(q.SearchPath()).ViewText(c.view))
			if c.view.Check != "" {
				check = strings.ToUpper(c.view.Check)
			}
		}
		writes := yesNo(q.updatable(c) != nil)
		return q.row(text(q.Database()), text(c.schema), text(c.name), def, text(check), writes, writes, yesNo(false),
			yesNo(false), yesNo(false))
	})
}

// typeInfo are the columns that several views have of a type.
func (q *query) typeInfo(row map[string]types.Datum, a attribute) {
	t := a.typ
	if d := t.Domain(); d != nil { // what it is over is shown
		t = d.Def().Domain.Base
	}
	schema, name := typeSchema(t)
	row["udt_catalog"], row["udt_schema"], row["udt_name"] = text(q.Database()), text(schema), text(name)
	row["dtd_identifier"] = text(fmt.Sprint(a.num))
	if t.Kind == types.Array && !t.IsVector() && t.Elem != types.Unknown && t.Domain() == nil {
		row["data_type"] = text("ARRAY")
		return
	}
	if t.User() != nil || t.Domain() != nil {
		row["data_type"] = text("USER-DEFINED")
		return
	}
	row["data_type"] = text(typeText(t.OID(), -1))
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

// updatable says which columns of a table or a view can be written; nil where none can.
func (q *query) updatable(c *class) []bool {
	switch {
	case c.view != nil:
		return q.Updatable(c.view)
	case c.table != nil:
		return slices.Repeat([]bool{true}, len(c.table.Visible()))
	}
	return nil
}

func infoColumns(q *query) error {
	return q.tablesAndViews(func(c *class) error {
		var updatable []bool
		if c.view != nil {
			updatable = q.updatable(c)
		}
		for _, a := range c.attributes() {
			if !q.isText("column_name", a.name) || !q.mayKnowColumn(c, a.num) {
				continue
			}
			row := q.columnRow(c, a)
			if a.num <= len(updatable) {
				row["is_updatable"] = yesNo(updatable[a.num-1])
			}
			if err := q.named(row); err != nil {
				return err
			}
		}
		return nil
	})
}

func (q *query) columnRow(c *class, a attribute) map[string]types.Datum {
	row := map[string]types.Datum{
		"table_catalog": text(q.Database()), "table_schema": text(c.schema), "table_name": text(c.name), "column_name": text(a.name),
		"ordinal_position": num(a.num), "is_nullable": yesNo(!a.notNull), "is_self_referencing": yesNo(false),
		"is_identity": yesNo(a.identity != 0), "identity_cycle": yesNo(false), "is_generated": text("NEVER"), "is_updatable": yesNo(c.table != nil),
	}
	q.typeInfo(row, a)
	if schema, name := q.domainOf(a); name != "" {
		row["domain_catalog"], row["domain_schema"], row["domain_name"] = text(q.Database()), text(schema), text(name)
	}
	if c.virtual != nil {
		if n := c.virtual.collations[a.num-1]; n != 0 && n != defaultCollation {
			row["collation_catalog"], row["collation_schema"], row["collation_name"] = text(q.Database()), text("pg_catalog"), text("C")
		}
	}
	if a.hasDef {
		row["column_default"] = optional(treeText(q.snap, q.snap.In(q.SearchPath()), defaultTree(c.oid, a.num)))
	}
	if a.generated {
		row["is_generated"], row["generation_expression"] = text("ALWAYS"), row["column_default"]
		delete(row, "column_default")
	}
	if a.identity == 0 || c.table == nil {
		return row
	}
	generation := "BY DEFAULT"
	if a.identity == 'a' {
		generation = "ALWAYS"
	}
	row["identity_generation"] = text(generation)
	for _, s := range q.snap.OwnedSequences(c.oid) {
		if s.OwnerColumn == a.num {
			row["identity_start"], row["identity_increment"] = text(fmt.Sprint(s.Start)), text(fmt.Sprint(s.Increment))
			row["identity_maximum"], row["identity_minimum"] = text(fmt.Sprint(s.Max)), text(fmt.Sprint(s.Min))
			row["identity_cycle"] = yesNo(s.Cycle)
		}
	}
	return row
}

func infoSequences(q *query) error {
	for _, s := range q.snap.Sequences() {
		if !q.isText("sequence_schema", s.Schema) || !q.isText("sequence_name", s.Name) {
			continue
		}
		if owned := q.snap.TableByID(s.OwnerTable); owned != nil {
			if c := owned.ColumnByID(s.OwnerColumn); c != nil && c.Identity != 0 {
				continue
			}
		}
		t := types.Of(s.Type)
		bits, _ := numericPrecision(t)
		err := q.row(text(q.Database()), text(s.Schema), text(s.Name), text(t.String()), num(bits), num(2), num(0), text(fmt.Sprint(s.Start)),
			text(fmt.Sprint(s.Min)), text(fmt.Sprint(s.Max)), text(fmt.Sprint(s.Increment)), yesNo(s.Cycle))
		if err != nil {
			return err
		}
	}
	return nil
}

// notNulls visits the columns that are NOT NULL, which information_schema shows as
// constraints, with the names that PostgreSQL makes for those.
func (q *query) notNulls(c *class, visit func(name string, a attribute) error) error {
	for _, a := range c.attributes() {
		if a.notNull {
			if err := visit(fmt.Sprintf("%d_%d_%d_not_null", schemaOID(q.snap, c.schema), c.oid, a.num), a); err != nil {
				return err
			}
		}
	}
	return nil
}

// tablesOfUsers visits those that constraint_schema and table_name may be of.
func (q *query) tablesOfUsers(visit func(c *class) error) error {
	return q.tablesAndViews(func(c *class) error {
		if c.table == nil || !q.isText("constraint_schema", c.schema) {
			return nil
		}
		return visit(c)
	})
}

var constraintTypes = map[byte]string{'p': "PRIMARY KEY", 'c': "CHECK", 'u': "UNIQUE", 'f': "FOREIGN KEY"}

func infoTableConstraints(q *query) error {
	return q.tablesOfUsers(func(c *class) error {
		deferrable, deferred := false, false
		add := func(name, kind string) error {
			if !q.isText("constraint_name", name) || !q.isText("constraint_type", kind) {
				return nil
			}
			nulls := null
			if kind == "UNIQUE" {
				nulls = yesNo(true)
			}
			return q.row(text(q.Database()), text(c.schema), text(name), text(q.Database()), text(c.schema), text(c.name), text(kind),
				yesNo(deferrable), yesNo(deferred), yesNo(true), nulls)
		}
		for _, k := range constraintsOf(c.table) {
			deferrable, deferred = k.key != nil && k.key.Deferrable, k.key != nil && k.key.Deferred
			if err := add(k.name, constraintTypes[k.kind]); err != nil {
				return err
			}
		}
		return q.notNulls(c, func(name string, _ attribute) error { return add(name, "CHECK") })
	})
}

func infoCheckConstraints(q *query) error {
	if err := infoDomainChecks(q); err != nil {
		return err
	}
	return q.tablesOfUsers(func(c *class) error {
		add := func(name, clause string) error {
			if !q.isText("constraint_name", name) {
				return nil
			}
			return q.row(text(q.Database()), text(c.schema), text(name), text(clause))
		}
		for _, k := range constraintsOf(c.table) {
			if k.check == nil {
				continue
			}
			if err := add(k.name, treeText(q.snap, q.snap.In(q.SearchPath()), checkTree(c.oid, k.name))); err != nil {
				return err
			}
		}
		return q.notNulls(c, func(name string, a attribute) error { return add(name, ident.Quote(a.name)+" IS NOT NULL") })
	})
}

func infoKeyColumns(q *query) error {
	return q.tablesOfUsers(func(c *class) error {
		for _, x := range indexesOf(c.table) {
			if x.constraint == 0 || !q.isText("constraint_name", x.name) {
				continue
			}
			for i, name := range x.columnNames() {
				err := q.row(text(q.Database()), text(c.schema), text(x.name), text(q.Database()), text(c.schema), text(c.name), text(name),
					num(i+1), null)
				if err != nil {
					return err
				}
			}
		}
		for i := range c.table.ForeignKeys {
			k := &c.table.ForeignKeys[i]
			x := referencedIndex(q.snap, k)
			for n, id := range k.Columns {
				position := null
				if x != nil {
					position = num(slices.IndexFunc(x.columns[:x.keys], func(c indexColumn) bool { return c.id == k.References[n] }) + 1)
				}
				err := q.row(text(q.Database()), text(c.schema), text(k.Name), text(q.Database()), text(c.schema), text(c.name),
					text(catalog.ColumnName(c.table, id)), num(n+1), position)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func infoConstraintColumns(q *query) error {
	return q.tablesOfUsers(func(c *class) error {
		for _, k := range constraintsOf(c.table) {
			if !q.isText("constraint_name", k.name) {
				continue
			}
			of, columns := c.table, k.column
			if k.key != nil { // what it names
				if of = q.snap.TableByID(k.key.Table); of == nil {
					continue
				}
				columns = numbers(k.key.References)
			}
			for _, id := range columns {
				col := of.ColumnByID(int(id))
				if col == nil {
					continue
				}
				err := q.row(text(q.Database()), text(of.Schema), text(of.Name), text(col.Name), text(q.Database()), text(c.schema), text(k.name))
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func infoConstraintTables(q *query) error {
	return q.tablesOfUsers(func(c *class) error {
		for _, k := range constraintsOf(c.table) {
			of := c.table
			if k.key != nil {
				of = q.snap.TableByID(k.key.Table)
			}
			if k.check != nil || of == nil {
				continue
			}
			err := q.row(text(q.Database()), text(of.Schema), text(of.Name), text(q.Database()), text(c.schema), text(k.name))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoReferential(q *query) error {
	rules := map[byte]string{'a': "NO ACTION", 'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}
	return q.tablesOfUsers(func(c *class) error {
		for i := range c.table.ForeignKeys {
			k := &c.table.ForeignKeys[i]
			database, schema, name, match := null, null, null, "NONE"
			if x := referencedIndex(q.snap, k); x != nil {
				database, schema, name = text(q.Database()), text(x.table.Schema), text(x.name)
			}
			if k.Full {
				match = "FULL"
			}
			err := q.row(text(q.Database()), text(c.schema), text(k.Name), database, schema, name, text(match), text(rules[k.OnUpdate]), text(rules[k.OnDelete]))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoViewTables(q *query) error {
	for _, v := range q.snap.Views() {
		for _, id := range v.DependsOn {
			r := q.snap.ByID(id)
			if r == nil || r.RelKind() == "sequence" || r.RelKind() == "materialized view" {
				continue
			}
			err := q.row(text(q.Database()), text(v.Schema), text(v.Name), text(q.Database()), text(r.RelSchema()), text(r.RelName()))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func infoViewColumns(q *query) error {
	for _, v := range q.snap.Views() {
		for _, u := range v.Uses {
			r := q.snap.ByID(u.Relation)
			if r == nil || r.RelKind() == "materialized view" {
				continue
			}
			err := q.row(text(q.Database()), text(v.Schema), text(v.Name), text(q.Database()), text(r.RelSchema()), text(r.RelName()),
				text(catalog.ColumnName(r, u.Column)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func infoElementTypes(q *query) error {
	return q.classes("", "object_name", func(c *class) error {
		if c.kind != 'r' && c.kind != 'v' || !q.isText("object_schema", c.schema) {
			return nil
		}
		for _, a := range c.attributes() {
			if a.typ.Kind != types.Array || a.typ.Elem == types.Unknown {
				continue
			}
			kind := "TABLE"
			if c.kind == 'v' {
				kind = "VIEW"
			}
			elem := a.typ.ElemType().Base()
			schema, name := typeSchema(elem)
			data := elem.String()
			if elem.User() != nil {
				data = "USER-DEFINED"
			}
			err := q.named(map[string]types.Datum{
				"object_catalog": text(q.Database()), "object_schema": text(c.schema), "object_name": text(c.name), "object_type": text(kind),
				"collection_type_identifier": text(fmt.Sprint(a.num)), "data_type": text(data), "udt_catalog": text(q.Database()),
				"udt_schema": text(schema), "udt_name": text(name), "dtd_identifier": text(fmt.Sprintf("a%d", a.num)),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func infoColumnTypes(q *query) error {
	return q.tablesAndViews(func(c *class) error {
		for _, a := range c.attributes() {
			schema, name := typeSchema(a.typ)
			err := q.row(text(q.Database()), text(schema), text(name), text(q.Database()), text(c.schema), text(c.name), text(a.name))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
