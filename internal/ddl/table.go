package ddl

import (
	"context"
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

func (r *Runner) catalogName(n tree.Name) catalog.Name {
	if n.Schema == catalog.TempSchema && r.Temp != "" {
		n.Schema = r.Temp
	}
	return catalog.Name{Schema: n.Schema, Name: n.Name, Path: r.Host.SearchPath(), Pos: n.Pos}
}

func optionDefs(opts []tree.Option) []catalog.OptionDef {
	out := make([]catalog.OptionDef, len(opts))
	for i, o := range opts {
		out[i] = catalog.OptionDef{Namespace: o.Namespace, Name: o.Name, Value: o.Value, HasValue: o.HasValue, List: o.List, Pos: o.Pos}
	}
	return out
}

// TypeOf resolves a type name as written.
func TypeOf(n *tree.TypeName) (types.T, error) {
	t, _, err := namedType(n)
	return t, err
}

// namedType also gives the storage type where the name alone says it, as
// Phoenix's do.
func namedType(n *tree.TypeName) (types.T, rowcodec.Column, error) {
	t, store, err := catalog.NamedType(n.Schema, n.Name, n.Mods, n.Array())
	return t, store, at(err, n.Pos)
}

// columnType is namedType that knows the types of users too.
func (r *Runner) columnType(n *tree.TypeName) (t types.T, store rowcodec.Column, err error) {
	t, store, err = namedType(n)
	if sqlerr.CodeOf(err) != sqlerr.UndefinedObject {
		return t, store, err
	}
	err = r.Host.Lookup(context.Background(), func() (version uint64, err error) {
		t, err = planner.TypeOf(r.Host.Planner(), n)
		err = catalog.AbsentType(n.Schema, n.Name, err)
		if sqlerr.CodeOf(err) == sqlerr.UndefinedObject {
			p := r.Host.Planner()
			if rel, _ := p.Catalog.Resolve(p.SearchPath, n.Schema, n.Name); rel != nil && rel.RelKind() != "sequence" {
				err = sqlerr.Unsupported("the row type of "+rel.RelKind()+" "+rel.RelName()+" cannot be stored in a table", "Use jsonb for a value of several parts.")
			}
		}
		return r.Catalog.Snapshot().Version(), err
	})
	return t, rowcodec.Column{}, at(err, n.Pos)
}

// typeResolver gives a column's type and, where the name alone says it, how it is stored.
type typeResolver func(*tree.TypeName) (types.T, rowcodec.Column, error)

func at(err error, pos int) error {
	if e := sqlerr.As(err); e != nil && e.Position == 0 {
		return e.At(pos)
	}
	return err
}

// unsupportedAt is a 0A000 at a place in the statement.
func unsupportedAt(pos int, instead, format string, args ...any) error {
	return sqlerr.Unsupported(fmt.Sprintf(format, args...), instead).At(pos)
}

// tableDef turns CREATE TABLE into a definition, refusing what is not kept.
func (r *Runner) tableDef(u *tree.CreateTable, typeOf typeResolver) (*catalog.TableDef, error) {
	if err := refuseTableClauses(u, r.Temp); err != nil {
		return nil, err
	}
	def := &catalog.TableDef{Name: r.catalogName(u.Name)}
	if r.Temp != "" {
		def.Name.Schema = r.Temp
	}
	options, key, err := keyOptions(optionDefs(u.Options))
	if err != nil {
		return nil, err
	}
	def.Options = options
	if u.Immutable {
		def.Options = append(def.Options, catalog.OptionDef{Name: "immutable_rows", Value: "true", HasValue: true})
	}
	likes, err := r.likes(u)
	if err != nil {
		return nil, err
	}
	for i := 0; i <= len(u.Columns); i++ {
		for _, l := range likes {
			if l.of.At == i {
				def.Columns = append(def.Columns, l.columns...)
			}
		}
		if i == len(u.Columns) {
			break
		}
		c := &u.Columns[i]
		cd, err := r.columnDef(u.Name.Name, c, typeOf)
		if err != nil {
			return nil, err
		}
		def.Columns = append(def.Columns, *cd)
		if c.PrimaryKey {
			if u.Primary != nil || len(def.PrimaryKey) > 0 {
				return nil, multipleKeys(u.Name.Name, c.Pos)
			}
			def.PrimaryKey = []catalog.KeyDef{{Name: c.Name, Desc: c.Desc, Pos: c.Pos}}
			def.PrimaryKeyName = c.ConstraintNames["primary key"]
		}
	}
	if u.Primary != nil {
		keys, err := keyDefs(u.Primary)
		if err != nil {
			return nil, err
		}
		def.PrimaryKey, def.PrimaryKeyName = keys, u.Primary.Name
	}
	switch {
	case key != nil && len(def.PrimaryKey) > 0:
		return nil, multipleKeys(u.Name.Name, key[0].Pos)
	case key != nil:
		def.PrimaryKey, def.KeyByOption = key, true
	}
	if def.Uniques, err = uniquesOf(u); err != nil {
		return nil, err
	}
	cols := make([]planner.ScopeColumn, len(def.Columns))
	for i, c := range def.Columns {
		cols[i] = planner.ScopeColumn{ID: i + 1, Name: c.Name, Type: c.Type, Generated: c.Generated != ""} // IDs count from 1 in a new table
	}
	if err := r.bindGenerated(u, def, cols); err != nil {
		return nil, err
	}
	for _, c := range checksOf(u) {
		cond, named, err := planner.BindCheck(r.Host.Planner(), c.Expr, u.Name.Name, cols)
		if err != nil {
			return nil, err
		}
		def.Checks = append(def.Checks, catalog.Check{Name: c.Name, Cond: cond, Columns: named})
	}
	for _, l := range likes {
		if err := l.define(def); err != nil {
			return nil, err
		}
	}
	def.ForeignKeys, err = r.foreignKeysOf(u)
	return def, err
}

// bindGenerated binds what the generated columns of a table are computed by.
func (r *Runner) bindGenerated(u *tree.CreateTable, def *catalog.TableDef, cols []planner.ScopeColumn) error {
	own := map[string]*tree.ColumnDef{}
	for i := range u.Columns {
		if u.Columns[i].Generated != nil {
			own[u.Columns[i].Name] = &u.Columns[i]
		}
	}
	for i := range cols {
		cols[i].Generated = cols[i].Generated || own[cols[i].Name] != nil
	}
	for i := range def.Columns {
		d, c := &def.Columns[i], own[def.Columns[i].Name]
		if c == nil || d.Pos != c.Pos {
			continue
		}
		var err error
		if d.Generated, d.GeneratedFrom, err = planner.BindGenerated(r.Host.Planner(), c.Generated, u.Name.Name, d.Name, d.Type, cols); err != nil {
			return err
		}
	}
	return nil
}

func multipleKeys(table string, pos int) error {
	return sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table %q are not allowed", table).At(pos)
}

// uniquesOf lists a table's UNIQUE constraints, those of its columns first.
func uniquesOf(u *tree.CreateTable) ([]catalog.IndexDef, error) {
	var out []catalog.IndexDef
	add := func(k *tree.KeyConstraint) error {
		d, err := uniqueDef(k)
		if err == nil {
			out = append(out, *d)
		}
		return err
	}
	for i := range u.Columns {
		c := &u.Columns[i]
		if !c.Unique {
			continue
		}
		if err := add(uniqueOf(c)); err != nil {
			return nil, err
		}
	}
	for i := range u.Uniques {
		if err := add(&u.Uniques[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// uniqueOf is the UNIQUE constraint of a column.
func uniqueOf(c *tree.ColumnDef) *tree.KeyConstraint {
	return &tree.KeyConstraint{
		Name: c.ConstraintNames["unique"], Columns: []tree.KeyCol{{Name: c.Name, Pos: c.Pos}},
		NullsNotDistinct: c.UniqueNullsNotDistinct, Deferral: c.UniqueDeferral, Pos: c.Pos,
	}
}

// uniqueDef turns a UNIQUE constraint into the index that holds it.
func uniqueDef(k *tree.KeyConstraint) (*catalog.IndexDef, error) {
	if k.Deferral.Deferrable || k.Deferral.InitiallyDeferred {
		return nil, unsupportedAt(k.Pos, "It is tested as each statement writes: leave DEFERRABLE out.", "deferrable constraints are not supported")
	}
	options, err := indexOptions(k.Options)
	if err != nil {
		return nil, err
	}
	d := &catalog.IndexDef{
		Name: k.Name, Include: namesOf(k.Include), Unique: true, NullsNotDistinct: k.NullsNotDistinct, Constraint: true,
		Options: options, Pos: k.Pos,
	}
	for _, c := range k.Columns {
		if c.Expr != nil {
			return nil, sqlerr.New(sqlerr.SyntaxError, "a unique constraint takes columns, not expressions").At(c.Pos)
		}
		d.Parts = append(d.Parts, catalog.IndexPartDef{Column: c.Name, Desc: c.Desc, NullsFirst: c.NullsFirst, NullsLast: c.NullsLast, Pos: c.Pos})
	}
	return d, nil
}

// checksOf lists a table's CHECKs, those of its columns first.
func checksOf(u *tree.CreateTable) []tree.Check {
	var out []tree.Check
	for i := range u.Columns {
		out = append(out, u.Columns[i].Checks...)
	}
	return append(out, u.Checks...)
}

func keyDefs(k *tree.KeyConstraint) ([]catalog.KeyDef, error) {
	if len(k.Include) > 0 {
		return nil, unsupportedAt(k.Pos, "Every column is with the key already: leave INCLUDE out.", "INCLUDE in a primary key is not supported")
	}
	var out []catalog.KeyDef
	for _, c := range k.Columns {
		switch {
		case c.Expr != nil:
			return nil, sqlerr.New(sqlerr.SyntaxError, "a primary key takes columns, not expressions").At(c.Pos)
		case c.NullsFirst || c.NullsLast:
			return nil, unsupportedAt(c.Pos, "Key columns are NOT NULL: leave NULLS FIRST and NULLS LAST out.", "NULLS FIRST and NULLS LAST in a primary key are not supported")
		case c.RowTimestamp:
			return nil, unsupportedAt(c.Pos, "Cell timestamps are chosen by the server: leave ROW_TIMESTAMP out.", "ROW_TIMESTAMP is not supported")
		}
		out = append(out, catalog.KeyDef{Name: c.Name, Desc: c.Desc, Pos: c.Pos})
	}
	return out, nil
}

func refuseTableClauses(u *tree.CreateTable, temp string) error {
	pos := u.Name.Pos
	switch {
	case u.Unlogged:
		return unsupportedAt(pos, "Leave UNLOGGED out.", "unlogged tables are not supported")
	case len(u.Excludes) > 0:
		return unsupportedAt(u.Excludes[0].Pos, "Only the primary key excludes rows.", "EXCLUDE constraints are not supported")
	case len(u.Inherits) > 0:
		return unsupportedAt(pos, "Write the columns into this table.", "INHERITS is not supported")
	case u.OfType != nil:
		return unsupportedAt(pos, "Write the columns.", "CREATE TABLE OF is not supported")
	case u.PartitionBy != "" || u.PartitionOf != nil:
		return unsupportedAt(pos, "The store splits tables by itself; SALT_BUCKETS spreads hot keys and SPLIT ON gives first split points.", "partitioned tables are not supported")
	case u.Tablespace != "" && u.Tablespace != "pg_default":
		return unsupportedAt(pos, "Leave TABLESPACE out.", "tablespaces are not supported")
	case u.Using != "" && u.Using != "heap" && u.Using != "saltsql":
		return sqlerr.New(sqlerr.UndefinedObject, "access method %q does not exist", u.Using).At(pos)
	case u.OnCommit != "" && temp == "":
		return sqlerr.New(sqlerr.InvalidTableDefinition, "ON COMMIT can only be used on temporary tables").At(pos)
	}
	return nil
}

func clash(c *tree.ColumnDef, table, what string, pos int) error {
	return sqlerr.New(sqlerr.SyntaxError, "%s for column %q of table %q", what, c.Name, table).At(pos)
}

func (r *Runner) columnDef(table string, c *tree.ColumnDef, typeOf typeResolver) (*catalog.ColumnDef, error) {
	if c.Map {
		return nil, mapOfOwn(c)
	}
	switch {
	case c.Type == nil:
		return nil, sqlerr.New(sqlerr.SyntaxError, "column %q has no type", c.Name).At(c.Pos)
	case c.RowTime:
		return nil, unsupportedAt(c.Pos, "Cell timestamps are chosen by the server: leave ROW_TIMESTAMP out.", "ROW_TIMESTAMP is not supported")
	case c.Collation.Name != "" && c.Collation.Name != "C" && c.Collation.Name != "POSIX" && c.Collation.Name != "default":
		return nil, unsupportedAt(c.Pos, `Text compares by bytes, collation "C", which is key order.`, "collation %q is not supported", c.Collation.Name)
	case c.Storage != "" || c.Compression != "":
		return nil, unsupportedAt(c.Pos, "The store compresses by itself: leave STORAGE and COMPRESSION out.", "STORAGE and COMPRESSION are not supported")
	case c.Clash != "":
		return nil, clash(c, table, c.Clash, c.ClashPos)
	}
	out := &catalog.ColumnDef{Family: c.Family, Name: c.Name, NotNull: c.NotNull, Pos: c.Pos}
	if kind, serial := serials[c.Type.Name]; serial && c.Type.Schema == "" && !c.Type.Array() {
		switch {
		case c.Default != nil:
			return nil, clash(c, table, "multiple default values specified", c.Pos)
		case c.Identity != "":
			return nil, clash(c, table, "both default and identity specified", c.Pos)
		case c.Generated != nil:
			return nil, clash(c, table, "both default and generation expression specified", c.Pos)
		}
		out.Type, out.Identity, out.NotNull = types.Of(kind), 's', true
		out.Sequence.Type = kind
		return out, nil
	}
	var err error
	if out.Type, out.Store, err = typeOf(c.Type); err != nil {
		return nil, err
	}
	if c.Default != nil {
		if out.Default, err = planner.BindDefault(r.Host.Planner(), c.Default, c.Name, out.Type); err != nil {
			return nil, err
		}
	}
	if c.Identity != "" {
		out.Identity = identityOf(c.Identity)
		out.NotNull = true
		if out.Sequence, err = r.sequenceOptions(c.IdentityOpt, out.Type.Kind); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// identityOf is how the catalog calls GENERATED ALWAYS and BY DEFAULT.
func identityOf(word string) byte {
	if word == "always" {
		return 'a'
	}
	return 'd'
}

var serials = map[string]types.Kind{
	"smallserial": types.Int2, "serial2": types.Int2,
	"serial": types.Int4, "serial4": types.Int4,
	"bigserial": types.Int8, "serial8": types.Int8,
}
