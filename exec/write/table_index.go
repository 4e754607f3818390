package write

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// tableIndex makes the entries that rows of a table have in one of its indexes.
type tableIndex struct {
	t     *catalog.Table
	ix    *catalog.Index
	parts []*eval.Prog // per part; nil for a column
	where *eval.Prog
	enc   *rowcodec.RowEncoder

	// lossy are the columns that expressions read and of whose values the store keeps less
	// than memory may hold: 1.50 is 1.5 when it is read again.
	lossy   []int
	vals    []*vec.Vec // of parts, for the batch at hand
	seen    vec.Batch  // it, as the store keeps it
	keyVals []types.Datum
	cells   []types.Datum
	tie     []byte
}

// entry is a row of an index: its key and the mutations that write it. A row that the
// index's predicate leaves out has none: the key is nil.
type entry struct {
	key   []byte
	muts  []storage.Mutation
	claim bool // no other row may have the same key
}

// equal says that two entries are the same but for their timestamps.
func (e *entry) equal(o *entry) bool {
	return bytes.Equal(e.key, o.key) && slices.EqualFunc(e.muts, o.muts, func(a, b storage.Mutation) bool {
		return a.Op == b.Op && a.Family == b.Family && bytes.Equal(a.Qualifier, b.Qualifier) && bytes.Equal(a.Value, b.Value)
	})
}

func newTableIndex(t *catalog.Table, ix *catalog.Index) (*tableIndex, error) {
	x := &tableIndex{t: t, ix: ix, enc: rowcodec.NewRowEncoder(ix.Codec())}
	compile := func(s expr.Stored) (*eval.Prog, error) {
		if s == "" {
			return nil, nil
		}
		e, err := s.Bind(func(id int) (*expr.Col, bool) {
			i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.ID == id })
			if i < 0 {
				return nil, false
			}
			return &expr.Col{Index: i, T: t.Columns[i].Type, Name: t.Columns[i].Name}, true
		})
		if err != nil {
			return nil, err
		}
		for _, i := range expr.Cols(e) {
			if lossy(&t.Columns[i].Store) && !slices.Contains(x.lossy, i) {
				x.lossy = append(x.lossy, i)
			}
		}
		return eval.Compile(e)
	}
	for i := range ix.Parts {
		p, err := compile(ix.Parts[i].Expr)
		if err != nil {
			return nil, err
		}
		x.parts = append(x.parts, p)
	}
	var err error
	x.where, err = compile(ix.Where)
	x.vals = make([]*vec.Vec, len(ix.Parts))
	x.keyVals = make([]types.Datum, len(ix.Key))
	x.cells = make([]types.Datum, len(ix.Cells))
	return x, err
}

func lossy(c *rowcodec.Column) bool {
	switch c.Type {
	case rowcodec.Varchar, rowcodec.Varbinary, rowcodec.VarbinaryEncoded, rowcodec.Boolean, rowcodec.Integer, rowcodec.BigInt, rowcodec.SmallInt:
		return false
	}
	return true
}

// begin evaluates the index's expressions over the selected rows of b, whose first columns
// are the table's, and gives those that the index has. What sel and b hold must stand until
// the entries are made.
func (x *tableIndex) begin(env *expr.Env, b *vec.Batch) (sel []uint16, err error) {
	x.seen.Cols = append(x.seen.Cols[:0], b.Cols[:len(x.t.Columns)]...)
	x.seen.N, x.seen.Sel = b.N, b.Sel
	for _, i := range x.lossy {
		if x.seen.Cols[i], err = asStored(x.t, i, b); err != nil {
			return nil, err
		}
	}
	if x.where != nil {
		if x.seen.Sel, err = x.where.Filter(env, &x.seen, nil); err != nil {
			return nil, err
		}
		if x.seen.Sel == nil {
			x.seen.Sel = []uint16{}
		}
	}
	for i, p := range x.parts {
		if p == nil {
			continue
		}
		if x.vals[i], err = p.Eval(env, &x.seen); err != nil {
			return nil, err
		}
	}
	return x.seen.Sel, nil
}

// asStored gives column i of a batch as it is when it is read again.
func asStored(t *catalog.Table, i int, b *vec.Batch) (*vec.Vec, error) {
	c := rowcodec.CellColumn{Column: t.Columns[i].Store, Name: t.Columns[i].Name}
	out := vec.New(t.Columns[i].Type)
	out.Resize(b.N)
	dec := rowcodec.NewValueDecoder(t.Name, &c)
	for j := range b.Rows() {
		slot := b.Row(j)
		d := b.Cols[i].Datum(slot)
		if d.Null {
			out.Nulls.Set(slot)
			continue
		}
		v, err := rowcodec.AppendValue(nil, &c.Column, d)
		if err == nil {
			err = dec.Decode(v, slot, out)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// part gives the value of a part in the row at slot.
func (x *tableIndex) part(n, slot int) types.Datum {
	if x.parts[n] != nil {
		return x.vals[n].Datum(slot)
	}
	return x.seen.Cols[x.ix.Key[n].Column].Datum(slot)
}

// entry makes the entry of the row at slot, one that begin gave. Its bytes are valid until
// reset; keys are appended to keys.
func (x *tableIndex) entry(keys []byte, slot int, ts int64) (_ []byte, e entry, err error) {
	e.claim = x.ix.Unique
	for k, of := range x.ix.Key {
		switch {
		case of.Part >= 0:
			x.keyVals[k] = x.part(of.Part, slot)
			e.claim = e.claim && (!x.keyVals[k].Null || x.ix.NullsNotDistinct)
		case of.Column >= 0:
			x.keyVals[k] = x.seen.Cols[of.Column].Datum(slot)
		}
	}
	if x.ix.Unique {
		x.tie = x.tie[:0]
		if !e.claim {
			if x.tie, err = x.rowKey(x.tie, slot); err != nil {
				return keys, e, err
			}
		}
		x.keyVals[len(x.keyVals)-1] = types.NewBytes(x.tie)
	}
	at := len(keys)
	if keys, err = x.ix.Codec().Key.AppendKey(keys, x.keyVals); err != nil {
		return keys, e, x.tooLarge(err)
	}
	e.key = keys[at:len(keys):len(keys)]
	for c, col := range x.ix.Cells {
		x.cells[c] = x.seen.Cols[col].Datum(slot)
	}
	e.muts, err = x.enc.AppendRow(nil, x.cells, ts, true)
	return keys, e, err
}

// rowKey appends the logical key of the row at slot.
func (x *tableIndex) rowKey(dst []byte, slot int) ([]byte, error) {
	vals := make([]types.Datum, len(x.t.PrimaryKey))
	for i, col := range x.t.PrimaryKey {
		vals[i] = x.seen.Cols[col].Datum(slot)
	}
	return x.t.Codec().Key.AppendLogicalKey(dst, vals)
}

// tooLarge says of which index a key that cannot be stored is.
func (x *tableIndex) tooLarge(err error) error {
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.ProgramLimitExceeded {
		e.Message = "index " + `"` + x.ix.Name + `": ` + e.Message
		return e.WithHint("Values larger than that cannot be indexed: index a hash of them, or a part.")
	}
	return err
}

// violation is 23505 for the row at slot, whose entry another row has. exists is false where
// an index cannot be made for it.
func (x *tableIndex) violation(slot int, env *expr.Env, exists bool) error {
	var names, vals []byte
	for n := range x.ix.Parts {
		if n > 0 {
			names, vals = append(names, ", "...), append(vals, ", "...)
		}
		names = append(names, x.t.PartText(&x.ix.Parts[n])...)
		vals = appendShown(vals, x.ix.Parts[n].Type, x.part(n, slot), env)
	}
	e := sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint %q", x.ix.Name).
		WithDetail("Key (%s)=(%s) already exists.", names, vals)
	if !exists {
		e = sqlerr.New(sqlerr.UniqueViolation, "could not create unique index %q", x.ix.Name).
			WithDetail("Key (%s)=(%s) is duplicated.", names, vals)
	}
	return e.WithConstraint(x.t.Name, x.ix.Name).InSchema(x.t.Schema)
}
