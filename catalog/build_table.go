package catalog

import (
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// BuildTable makes the descriptor of a definition, without the IDs and names
// that only a change of the catalog can give. It reads nothing but def.
func BuildTable(def *TableDef) (*Table, Notices, error) { return BuildTableAs(def, false) }

// BuildTableAs is buildTable, also for tables that were not made here.
func BuildTableAs(def *TableDef, adopted bool) (*Table, Notices, error) {
	t := &Table{Name: def.Name.Name, NextColumnID: 1, NextQualifier: rowcodec.FirstQualifier, Adopted: adopted, KeyByOption: def.KeyByOption, KeyIndexComment: def.KeyIndexComment, KeyFormat: def.KeyFormat, Materialized: def.Materialized}
	if err := CheckIdentifier("table", t.Name, def.Name.Pos); err != nil {
		return nil, nil, err
	}
	opts, notices, err := ParseOptions(def.Options)
	if err != nil {
		return nil, nil, err
	}
	t.Options = opts
	if len(def.Columns) > MaxTableColumns {
		return nil, nil, sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", MaxTableColumns).At(def.Name.Pos)
	}
	if err := checkKey(def); err != nil {
		return nil, nil, err
	}
	t.PrimaryKey = make([]int, len(def.PrimaryKey))
	seen := make(map[string]bool, len(def.Columns))
	for i := range def.Columns {
		cd := &def.Columns[i]
		if seen[cd.Name] {
			return nil, nil, DuplicateColumn(cd.Name).At(cd.Pos)
		}
		seen[cd.Name] = true
		pos := slices.IndexFunc(def.PrimaryKey, func(k KeyDef) bool { return k.Name == cd.Name })
		c, err := t.NewColumn(cd, pos, def.PrimaryKey)
		if err != nil {
			return nil, nil, err
		}
		if pos >= 0 {
			t.PrimaryKey[pos] = i
		}
		t.Columns = append(t.Columns, c)
	}
	for i := range def.Maps {
		if err := t.AddMap(&def.Maps[i]); err != nil {
			return nil, nil, err
		}
	}
	if t.FamilyOrder == nil {
		t.FamilyOrder = []string{t.Options.DefaultFamily}
	}
	if len(def.PrimaryKey) == 0 {
		t.addHiddenKey(def)
	} else {
		if t.PrimaryKeyName = def.PrimaryKeyName; t.PrimaryKeyName == "" {
			t.PrimaryKeyName = MakeObjectName(t.Name, "", "pkey")
		}
		if err := CheckIdentifier("constraint", t.PrimaryKeyName, def.Name.Pos); err != nil {
			return nil, nil, err
		}
	}
	if err := t.AddChecks(def.Checks, def.Name.Pos); err != nil {
		return nil, nil, err
	}
	if err := t.Finish(); err != nil {
		return nil, nil, Positioned(err, def.Name.Pos)
	}
	for i, vals := range def.Splits {
		key, err := t.splitKey(vals)
		if err != nil {
			if e := sqlerr.As(err); e != nil && e.Detail == "" {
				_ = e.WithDetail("SPLIT ON: split point %d.", i+1)
			}
			return nil, nil, err
		}
		t.Options.Splits = append(t.Options.Splits, key)
	}
	return t, notices, nil
}

func Positioned(err error, pos int) error {
	if e := sqlerr.As(err); e != nil {
		return e.At(pos)
	}
	return err
}

func DuplicateColumn(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" specified more than once`, name)
}

// checkKey checks that the key names columns of the definition, each once.
func checkKey(def *TableDef) error {
	for i, k := range def.PrimaryKey {
		if slices.ContainsFunc(def.PrimaryKey[:i], func(o KeyDef) bool { return o.Name == k.Name }) {
			return sqlerr.New(sqlerr.DuplicateColumn, `column "%s" appears twice in primary key constraint`, k.Name).At(k.Pos)
		}
		if !slices.ContainsFunc(def.Columns, func(c ColumnDef) bool { return c.Name == k.Name }) {
			return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" named in key does not exist`, k.Name).At(k.Pos)
		}
	}
	return nil
}

// NewColumn makes a column and takes its number and qualifier from t. pos is
// its position in key, -1 if it is not in it.
func (t *Table) NewColumn(def *ColumnDef, pos int, key []KeyDef) (Column, error) {
	c := Column{
		ID: t.NextColumnID, Name: def.Name, Type: def.Type, Store: def.Store,
		NotNull: def.NotNull, KeyPos: pos, Family: def.Family, Comment: def.Comment, Generated: def.Generated, GeneratedFrom: def.GeneratedFrom,
	}
	if err := CheckIdentifier("column", c.Name, def.Pos); err != nil {
		return c, err
	}
	if slices.Contains(SystemColumns, c.Name) {
		return c, sqlerr.New(sqlerr.DuplicateColumn, `column name "%s" conflicts with a system column name`, c.Name).At(def.Pos)
	}
	if c.Store.Type == rowcodec.Invalid {
		st, err := StorageColumn(c.Type)
		if err != nil {
			return c, OfColumn(err, t.Name, def)
		}
		c.Store = st
	}
	c.Store.SQL = c.Type
	switch st := c.Store.Type; {
	case adoptedOnly(c.Store) && !t.Adopted:
		return c, sqlerr.New(sqlerr.FeatureNotSupported, "type %s is for tables made by Phoenix", c.TypeText()).
			WithHint("Use %s.", c.Type).WithColumn(t.Name, c.Name).At(def.Pos)
	case st == rowcodec.VarbinaryEncoded && pos < 0:
		c.Store.Type = rowcodec.Varbinary // outside the key there is nothing to escape
	}
	if def.Identity != 0 {
		if err := CheckIdentityColumn(t.Name, def); err != nil {
			return c, err
		}
		c.NotNull = true
		if def.Identity != 's' {
			c.Identity = def.Identity
		}
	}
	t.NextColumnID++
	if pos < 0 {
		if c.Qualifier, c.Number = def.Qualifier, def.Number; c.Qualifier == nil && t.Options.ColumnEncodedBytes == 0 {
			c.Qualifier = def.PlainQualifier
		}
		return c, Positioned(t.giveQualifier(&c), def.Pos)
	}
	c.Desc = key[pos].Desc
	c.NotNull = c.NotNull || !t.FromPhoenix() || len(key) == 1 || c.Store.FixedWidth() > 0
	if def.Family != "" {
		return c, sqlerr.New(sqlerr.InvalidTableDefinition, `key column "%s" cannot be in a column family`, c.Name).
			WithHint("Key columns are stored in the row key: write %s without the family.", ident.Quote(c.Name)).
			WithColumn(t.Name, c.Name).At(def.Pos)
	}
	if err := KeyStorage(&c, pos == len(key)-1, t.Adopted); err != nil {
		return c, OfColumn(err, t.Name, def)
	}
	return c, nil
}

// WritesRows says that a column that is added is written to each row that is there: it is
// computed of the row, or its DEFAULT is another value for each, or one that the table cannot
// have for rows without it, or it counts with a sequence of its own.
func (d *ColumnDef) WritesRows() bool {
	switch {
	case d.Generated != "" || d.Identity != 0:
		return true
	case d.Fault != nil || !d.Default.Given():
		return false
	case !d.Settled:
		return true
	}
	store, err := d.Store, error(nil)
	if store.Type == rowcodec.Invalid {
		store, err = StorageColumn(d.Type)
	}
	store.SQL = d.Type
	return err == nil && !d.Missing.Null && !store.KeepsMissing()
}

// adoptedOnly names the storage types that Phoenix's own tables may have and new
// ones may not: they hold what their SQL type holds, less the negative half.
func adoptedOnly(s rowcodec.Column) bool {
	t := s.Type
	if t == rowcodec.Array {
		t = s.Elem
	}
	switch t {
	case rowcodec.UnsignedFloat, rowcodec.UnsignedDouble, rowcodec.UnsignedDate, rowcodec.UnsignedTime, rowcodec.UnsignedTimestamp:
		return true
	}
	return false
}

func OfColumn(err error, table string, def *ColumnDef) error {
	if e := sqlerr.As(err); e != nil {
		return e.WithColumn(table, def.Name).At(def.Pos)
	}
	return err
}

// CheckIdentityColumn refuses an identity of a type that has no sequences, and one beside a default.
func CheckIdentityColumn(table string, def *ColumnDef) error {
	switch def.Type.Kind {
	case types.Int2, types.Int4, types.Int8:
	default:
		return sqlerr.New(sqlerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint").At(def.Pos)
	}
	if def.Default.Given() {
		if def.Identity == 's' {
			return sqlerr.New(sqlerr.SyntaxError, `multiple default values specified for column "%s" of table "%s"`, def.Name, table).At(def.Pos)
		}
		return sqlerr.New(sqlerr.SyntaxError, `both default and identity specified for column "%s" of table "%s"`, def.Name, table).At(def.Pos)
	}
	return nil
}

// splitKey encodes a split point as a prefix of the logical key.
func (t *Table) splitKey(vals []types.Datum) ([]byte, error) {
	if len(vals) == 0 || len(vals) > len(t.PrimaryKey) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "a split point has %d values, the primary key has %d columns", len(vals), len(t.PrimaryKey))
	}
	for i := range vals {
		if vals[i].Null {
			return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "a split point cannot be NULL")
		}
	}
	key, err := t.codec.Key.AppendLogicalPrefix(nil, vals)
	if err == nil && len(key) == 0 {
		err = sqlerr.New(sqlerr.InvalidParameterValue, "a split point cannot be empty").
			WithHint("Every row is above the empty key: leave it out.")
	}
	return key, err
}

// AddChecks adds CHECK constraints, under the names Postgres would choose where
// they have none.
func (t *Table) AddChecks(list []Check, pos int) error {
	if len(list) == 0 {
		return nil
	}
	taken := make(map[string]bool, len(t.Checks)+len(list))
	taken[t.PrimaryKeyName] = true
	for i := range t.ForeignKeys {
		taken[t.ForeignKeys[i].Name] = true
	}
	for i := range t.Checks {
		taken[t.Checks[i].Name] = true
	}
	for i := range t.Indexes {
		taken[t.Indexes[i].Name] = t.Indexes[i].Constraint
	}
	next := map[string]int{} // the number that a made name has to try
	checks := slices.Grow(slices.Clone(t.Checks), len(list))
	for _, c := range list {
		for _, id := range c.Columns {
			if t.ColumnByID(id) == nil {
				return sqlerr.New(sqlerr.UndefinedColumn, "a column that the check constraint names was dropped at the same time").At(pos)
			}
		}
		if c.Name == "" {
			column := ""
			if len(c.Columns) == 1 {
				if col := t.ColumnByID(c.Columns[0]); col != nil {
					column = col.Name
				}
			}
			name := MakeObjectName(t.Name, column, "check")
			for n := next[name]; c.Name == ""; n++ {
				if s := Numbered(name, n); !taken[s] {
					c.Name = s
				}
				next[name] = n + 1
			}
		}
		if err := CheckIdentifier("constraint", c.Name, pos); err != nil {
			return err
		}
		if taken[c.Name] {
			return sqlerr.New(sqlerr.DuplicateObject, `constraint "%s" for relation "%s" already exists`, c.Name, t.Name).At(pos)
		}
		taken[c.Name] = true
		checks = append(checks, c)
	}
	t.Checks = checks
	return nil
}

func (t *Table) HasConstraint(name string) bool {
	return t.PrimaryKeyName == name || slices.ContainsFunc(t.ForeignKeys, func(k ForeignKey) bool { return k.Name == name }) || t.UniqueConstraint(name) != nil || slices.ContainsFunc(t.Checks, func(c Check) bool { return c.Name == name })
}

// UniqueConstraint finds the index of a UNIQUE constraint; nil if there is none.
func (t *Table) UniqueConstraint(name string) *Index {
	if i := slices.IndexFunc(t.Indexes, func(ix Index) bool { return ix.Constraint && ix.Name == name }); i >= 0 {
		return &t.Indexes[i]
	}
	return nil
}

// MakeObjectName makes `table_column_label`, cutting the longer of the first
// two as far as a name's length asks.
func MakeObjectName(table, column, label string) string {
	room := MaxIdentifier - len(label) - 1
	if column != "" {
		room--
	}
	for len(table)+len(column) > room {
		if len(table) > len(column) {
			table = CutRune(table)
		} else {
			column = CutRune(column)
		}
	}
	if column == "" {
		return table + "_" + label
	}
	return table + "_" + column + "_" + label
}

// CutRune drops the last character.
func CutRune(s string) string {
	i := len(s) - 1
	for i > 0 && s[i]&0xC0 == 0x80 {
		i--
	}
	return s[:i]
}

// Numbered appends n to a name, none for 0, within a name's length.
func Numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	tail := strconv.Itoa(n)
	for len(name)+len(tail) > MaxIdentifier {
		name = CutRune(name)
	}
	return name + tail
}

func UniqueName(name func(n int) string, taken func(string) bool) string {
	for n := 0; ; n++ {
		if s := name(n); !taken(s) {
			return s
		}
	}
}

func lowerWord(s string) string {
	b := []byte(s)
	for i := range b {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}
