package ddl

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// formatDef turns ATTACH TABLE … KEY FORMAT into a definition. Unlike Phoenix's, names of
// families and cells are as written, cells of numbers are big-endian, and the key is what
// the format says, so that PRIMARY KEY may be left out.
func (r *Runner) formatDef(u *tree.AttachTable) (*catalog.AttachDef, error) {
	f := u.KeyFormat
	if u.Primary == nil && !slices.ContainsFunc(u.Columns, func(c tree.ColumnDef) bool { return c.PrimaryKey }) {
		u.Primary = &tree.KeyConstraint{Pos: f.Pos}
		for _, it := range f.Items {
			if it.Column != "" {
				u.Primary.Columns = append(u.Primary.Columns, tree.KeyCol{Name: it.Column, Desc: it.Reversed, Pos: it.Pos})
			}
		}
	}
	u, maps, err := r.splitMaps(u, namedType)
	if err != nil {
		return nil, err
	}
	table, err := r.tableDef(&u.CreateTable, namedType)
	if err != nil {
		return nil, err
	}
	table.Maps = maps
	for i := range table.Options {
		switch o := &table.Options[i]; {
		case o.Namespace != "":
		case slices.Contains([]string{"SALT_BUCKETS", "SALT_COLUMNS", "IMMUTABLE_ROWS", "IMMUTABLE_STORAGE_SCHEME", "COLUMN_ENCODED_BYTES"}, strings.ToUpper(o.Name)):
			return nil, unsupportedAt(o.Pos, "Leave it out: KEY FORMAT says what keys are, and cells hold one value each.", "%s does not go with KEY FORMAT", o.Name)
		}
	}
	table.Options = append(table.Options, catalog.OptionDef{Name: "COLUMN_ENCODED_BYTES", Value: "0", HasValue: true})
	def := &catalog.AttachDef{TableDef: *table, Physical: u.From, Pos: u.FromPos}
	if def.KeyFormat, err = keyFormatOf(f, def.PrimaryKey, def.Columns); err != nil {
		return nil, err
	}
	for i := range u.Columns {
		c, cd := &u.Columns[i], &def.Columns[i]
		if slices.ContainsFunc(def.PrimaryKey, func(k catalog.KeyDef) bool { return k.Name == c.Name }) {
			if c.Format != "" {
				return nil, unsupportedAt(c.Pos, "KEY FORMAT says how the column is written.", "FORMAT of a key column is not supported")
			}
			continue
		}
		if c.Number > 0 {
			return nil, unsupportedAt(c.Pos, "Use QUALIFIER.", "ENCODED_QUALIFIER does not go with KEY FORMAT")
		}
		cd.PlainQualifier = []byte(c.Name)
		if c.HasQualifier {
			cd.Qualifier = c.Qualifier
		}
		if cd.Store, err = foreignCell(c, cd.Type); err != nil {
			return nil, err
		}
	}
	return def, nil
}

// foreignCell says how a cell of others is written: text and bytes as they are, numbers
// big-endian, all else as text.
func foreignCell(c *tree.ColumnDef, t types.T) (rowcodec.Column, error) {
	store := rowcodec.Column{Type: rowcodec.AsText, SQL: t}
	binary := map[types.Kind]rowcodec.Type{
		types.Int2: rowcodec.Int16BE, types.Int4: rowcodec.Int32BE, types.Int8: rowcodec.Int64BE,
		types.Float4: rowcodec.Float32BE, types.Float8: rowcodec.Float64BE, types.Bool: rowcodec.Boolean,
	}
	switch st, ok := binary[t.Kind]; {
	case t.Kind == types.Array:
		return store, unsupportedAt(c.Pos, "Attach the column as text or jsonb, and take it apart in the query.", "arrays do not go with KEY FORMAT")
	case t.Kind == types.Text || t.Kind == types.Varchar:
		store.Type = rowcodec.Varchar
	case t.Kind == types.Bytea && c.Format != "text":
		store.Type = rowcodec.Varbinary
	case t.Kind == types.UUID && c.Format == "binary":
		store.Type, store.Width = rowcodec.Binary, 16
	case ok && (c.Format == "binary" || c.Format == "" && t.Kind != types.Bool):
		store.Type = st
	case c.Format == "binary":
		return store, unsupportedAt(c.Pos, "Attach the column as bytea, and take it apart in the query, or use FORMAT TEXT.", "FORMAT BINARY of type %s is not supported", t)
	}
	return store, nil
}

// keyFormatOf turns the items into the format of a key of these columns, and says in
// columns how their values are stored.
func keyFormatOf(f *tree.KeyFormat, key []catalog.KeyDef, columns []catalog.ColumnDef) (*keyform.Format, error) {
	out := &keyform.Format{}
	literal := &out.Lead
	position := func(it *tree.KeyItem) (int, *catalog.ColumnDef, error) {
		pos := slices.IndexFunc(key, func(k catalog.KeyDef) bool { return k.Name == it.Column })
		i := slices.IndexFunc(columns, func(c catalog.ColumnDef) bool { return c.Name == it.Column })
		if pos < 0 || i < 0 {
			return 0, nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" named in key does not exist`, it.Column).At(it.Pos)
		}
		return pos, &columns[i], nil
	}
	for i := range f.Items {
		it := &f.Items[i]
		switch {
		case it.Salt != nil:
			if out.Salt != nil || len(out.Parts) > 0 {
				return nil, unsupportedAt(it.Pos, "Attach the table without SALT: its hash is then a column of the key.", "a salt behind other parts of the key is not supported")
			}
			s := it.Salt
			out.Salt = &keyform.Salt{
				Hash: s.Hash, Buckets: s.Buckets, Signed: s.Signed, Digits: s.Buckets == 0,
				Kind: keyform.Kind(it.Kind), Width: it.Width,
			}
			if it.Kind == "" || it.Kind == "text" {
				out.Salt.Kind = keyform.AsDecimal
			}
			for k := range s.Args {
				a := &s.Args[k]
				if a.Column == "" {
					out.Salt.Args = append(out.Salt.Args, keyform.SaltArg{Column: -1, Literal: a.Literal})
					continue
				}
				pos, c, err := position(a)
				if err != nil {
					return nil, err
				}
				arg := keyform.SaltArg{Column: pos}
				if a.Reversed || a.Kind != "" || a.Unit != "" || a.Width != 0 {
					form := keyForm(a, c)
					arg.Form = &form
				}
				out.Salt.Args = append(out.Salt.Args, arg)
			}
			literal = &out.Salt.Sep
		case it.Column == "":
			*literal = append(*literal, it.Literal...)
		default:
			pos, c, err := position(it)
			if err != nil {
				return nil, err
			}
			if pos != len(out.Parts) {
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, `KEY FORMAT has column "%s" in another place than PRIMARY KEY`, it.Column).
					WithHint("Name the columns in the same order, each once, or leave PRIMARY KEY out.").At(it.Pos)
			}
			storeInKey(it, c)
			out.Parts = append(out.Parts, keyForm(it, c))
			literal = &out.Parts[pos].Sep
		}
	}
	if len(out.Parts) < len(key) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, `KEY FORMAT lacks column "%s" of the primary key`, key[len(out.Parts)].Name).At(f.Pos)
	}
	return out, nil
}

// storeInKey chooses the encoding by which a column's conditions are told, and how fine
// times are.
func storeInKey(it *tree.KeyItem, c *catalog.ColumnDef) {
	if k := c.Type.Kind; k != types.Timestamp && k != types.Timestamptz {
		c.Store = rowcodec.Column{}
		return
	}
	switch it.Unit {
	case "micros":
		c.Store = rowcodec.Column{Type: rowcodec.Timestamp}
	case "seconds":
		c.Type, c.Store = c.Type.WithTypmod(0), rowcodec.Column{Type: rowcodec.Date}
	default:
		c.Type, c.Store = c.Type.WithTypmod(3), rowcodec.Column{Type: rowcodec.Date}
	}
	c.Store.SQL = c.Type
}

func keyForm(it *tree.KeyItem, c *catalog.ColumnDef) keyform.Form {
	form := keyform.Form{Kind: keyform.Kind(it.Kind), Width: it.Width, Max: it.Max}
	switch it.Unit {
	case "seconds":
		form.Unit = 1_000_000
	case "millis":
		form.Unit = 1000
	case "micros":
		form.Unit = 1
	}
	if it.Reversed && it.Max == 0 {
		switch form.Max = math.MaxInt64; c.Type.Kind {
		case types.Int2:
			form.Max = math.MaxInt16
		case types.Int4:
			form.Max = math.MaxInt32
		}
	}
	if it.Reversed && form.Width == 0 && (form.Kind == "" || form.Kind == keyform.AsDecimal) {
		form.Width = len(strconv.FormatInt(form.Max, 10))
	}
	return form
}
