package catalog

import (
	"slices"

	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// MaxIndexColumns is how many parts and included columns an index has at most, as in Postgres.
//
//saltsql:limit tables: columns of an index, included ones among them (54011)
const MaxIndexColumns = 32

// IndexDef is an index to create, its expressions bound over the table of ID Table.
type IndexDef struct {
	Name         string // "" as Postgres would choose
	On           Name   // the table
	Table        uint32 // its ID when expressions were bound; 0 for a table that is being made
	Parts        []IndexPartDef
	Include      []string
	Where        expr.Stored
	WhereColumns []int

	Unique           bool
	NullsNotDistinct bool
	Constraint       bool
	IfNotExists      bool
	Comment          string
	// Options are SALT_BUCKETS and SALT_COLUMNS.
	Options []OptionDef
	Pos     int
}

// IndexPartDef is a part as written: a column by name, or an expression.
type IndexPartDef struct {
	Column string
	Name   string // of an expression's column, as Postgres would call it
	Call   bool   // see IndexPart
	Expr   expr.Stored
	Type   types.T
	IDs    []int // of the columns that Expr names

	Desc                  bool
	NullsFirst, NullsLast bool
	OpClass               string // as written
	Pos                   int
}

// Build makes an index of t of a definition, without ID, name and storage.
func (d *IndexDef) Build(t *Table) (Index, error) {
	ix := Index{
		Name: d.Name, Unique: d.Unique, NullsNotDistinct: d.NullsNotDistinct, Constraint: d.Constraint,
		Where: d.Where, WhereColumns: d.WhereColumns, State: IndexPlanned, Comment: d.Comment,
	}
	if len(d.Parts)+len(d.Include) > MaxIndexColumns {
		return ix, sqlerr.New(sqlerr.TooManyColumns, "cannot use more than %d columns in an index", MaxIndexColumns).At(d.Pos)
	}
	for i := range d.Parts {
		p, err := d.part(t, &d.Parts[i])
		if err != nil {
			return ix, err
		}
		if name := d.Parts[i].Column; d.Constraint && slices.ContainsFunc(d.Parts[:i], func(o IndexPartDef) bool { return o.Column == name }) {
			return ix, sqlerr.New(sqlerr.DuplicateColumn, `column "%s" appears twice in unique constraint`, name).At(d.Pos)
		}
		ix.Parts = append(ix.Parts, p)
	}
	for _, name := range d.Include {
		c, err := d.column(t, name, d.Pos)
		if err != nil {
			return ix, err
		}
		ix.Include = append(ix.Include, c.ID)
	}
	if t.Options.TTL > 0 {
		return ix, sqlerr.Unsupported("an index on a table with a TTL is not supported",
			"Entries would have to expire with their rows: keep a second table with the same TTL and the key that you search by.").At(d.Pos)
	}
	return ix, ix.setSalt(t, d)
}

func (d *IndexDef) column(t *Table, name string, pos int) (*Column, error) {
	if c := t.ColumnByName(name); c != nil {
		return c, nil
	}
	if d.Constraint {
		return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" named in key does not exist`, name).At(pos)
	}
	return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" does not exist`, name).At(pos)
}

func (d *IndexDef) part(t *Table, def *IndexPartDef) (IndexPart, error) {
	p := IndexPart{Expr: def.Expr, Name: def.Name, Call: def.Call, Type: def.Type, Columns: def.IDs, Desc: def.Desc, NullsFirst: def.NullsFirst || def.Desc && !def.NullsLast}
	if def.Expr == "" {
		c, err := d.column(t, def.Column, def.Pos)
		if err != nil {
			return p, err
		}
		p.Column, p.Type, p.Store = c.ID, c.Type, c.Store
	}
	if err := p.setOpClass(def); err != nil {
		return p, err
	}
	switch p.Type.Kind {
	case types.JSON, types.JSONPath:
		return p, sqlerr.New(sqlerr.UndefinedObject, `data type %s has no default operator class for access method "btree"`, p.Type).
			WithHint("You must specify an operator class for the index or define a default operator class for the data type.").At(def.Pos)
	case types.JSONB, types.Array:
		return p, sqlerr.Unsupported("an index on type "+p.Type.String()+" is not supported",
			"Index an expression over it that gives one value, such as (v->>'name') or v[1].").At(def.Pos)
	case types.Interval:
		return p, sqlerr.Unsupported("an index on type "+p.Type.String()+" is not supported",
			"Equal intervals such as '1 mon' and '30 days' differ: index extract(epoch FROM v).").At(def.Pos)
	}
	if def.Expr != "" {
		var err error
		if p.Store, err = StorageColumn(p.Type); err != nil {
			return p, Positioned(err, def.Pos)
		}
	}
	return p, nil
}

// setOpClass takes the operator class of the type, and those that order text by its bytes.
func (p *IndexPart) setOpClass(def *IndexPartDef) error {
	name, kind := def.OpClass, p.Type.Kind
	varying := kind == types.Varchar || kind == types.Text
	switch {
	case name == "" || name == p.Type.Base().TypName()+"_ops" || varying && (name == "text_ops" || name == "varchar_ops"):
		return nil
	case name != "text_pattern_ops" && name != "varchar_pattern_ops" && name != "bpchar_pattern_ops":
		return sqlerr.Unsupported(`operator class "`+name+`" is not supported`, "Every type has one order: leave the operator class out.").At(def.Pos)
	}
	p.OpClass = name
	return Positioned(p.CheckOpClass(p.Type), def.Pos)
}

// CheckOpClass is that the declared operator class, if any, orders values of a type: 42804.
func (p *IndexPart) CheckOpClass(t types.T) error {
	varying := t.Kind == types.Varchar || t.Kind == types.Text
	if p.OpClass == "" || varying && p.OpClass != "bpchar_pattern_ops" || t.Kind == types.Bpchar && p.OpClass == "bpchar_pattern_ops" {
		return nil
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, `operator class "%s" does not accept data type %s`, p.OpClass, t.Base())
}

// setSalt takes SALT_BUCKETS and SALT_COLUMNS. An index whose first part grows with time is
// salted as its table is, where nothing is said.
func (ix *Index) setSalt(t *Table, d *IndexDef) error {
	told := false
	for i := range d.Options {
		o := &d.Options[i]
		switch strings.ToUpper(o.Name) {
		case "SALT_BUCKETS":
			opts, _, err := ParseOptions([]OptionDef{*o})
			if err != nil {
				return err
			}
			ix.SaltBuckets, told = opts.SaltBuckets, true
		case "SALT_COLUMNS":
			names := o.List
			if names == nil && o.HasValue {
				names = []string{o.Value}
			}
			for _, name := range names {
				at := -1
				for k := range ix.Parts {
					if c := t.ColumnByName(name); c != nil && ix.Parts[k].Column == c.ID {
						at = k
					}
				}
				if at < 0 {
					return sqlerr.New(sqlerr.InvalidParameterValue, `SALT_COLUMNS names "%s", which is not a column of the index`, name).At(o.Pos)
				}
				ix.SaltParts = append(ix.SaltParts, at)
			}
		case "FILLFACTOR", "DEDUPLICATE_ITEMS":
			return sqlerr.Unsupported("the index option "+strings.ToLower(o.Name)+" is not supported",
				"The store keeps its own pages: leave it out.").At(o.Pos)
		default:
			return sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized parameter "%s"`, strings.ToLower(o.Name)).
				WithHint("An index takes SALT_BUCKETS and SALT_COLUMNS; the rest follows from its table.").At(o.Pos)
		}
	}
	if !told && grows(&ix.Parts[0], t) {
		ix.SaltBuckets = t.Options.SaltBuckets
	}
	if len(ix.SaltParts) > 0 && ix.SaltBuckets == 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "SALT_COLUMNS needs SALT_BUCKETS").At(d.Pos)
	}
	return nil
}

// RelOptions lists the options of an index of t that do not follow from the table, as
// pg_class.reloptions does.
func (ix *Index) RelOptions(t *Table) []string {
	var list []string
	if ix.SaltBuckets > 0 || t.Options.SaltBuckets > 0 && len(ix.Parts) > 0 && grows(&ix.Parts[0], t) {
		list = append(list, "salt_buckets="+strconv.Itoa(ix.SaltBuckets))
	}
	if ix.SaltParts != nil {
		var names []string
		for _, k := range ix.SaltParts {
			names = append(names, ident.Quote(ix.Parts[k].Label(t)))
		}
		list = append(list, "salt_columns="+strings.Join(names, ", "))
	}
	return list
}

// grows says that new rows have larger values of p than old ones, mostly.
func grows(p *IndexPart, t *Table) bool {
	switch p.Store.Type {
	case rowcodec.Date, rowcodec.Timestamp, rowcodec.UnsignedDate, rowcodec.UnsignedTimestamp:
		return true
	}
	c := t.ColumnByID(p.Column)
	return c != nil && c.Sequence != 0
}

// Label is what Postgres calls the column of an index.
func (p *IndexPart) Label(t *Table) string {
	if c := t.ColumnByID(p.Column); c != nil {
		return c.Name
	}
	if p.Name == "" {
		return "expr"
	}
	return p.Name
}

// DuplicateIndex is 42P07 for an index, or a constraint that has one, whose name another relation
// of the schema has.
func DuplicateIndex(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists`, name)
}

// DuplicateKey is DuplicateIndex for the constraint of a primary key, whose name is the table's
// own in Phoenix.
func DuplicateKey(name string) *sqlerr.Error {
	return DuplicateIndex(name).WithHint("The name of a key is that of its index, which is unique in the schema: leave CONSTRAINT %s out, and one is chosen.", ident.Quote(name))
}
