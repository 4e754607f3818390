package entry

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// Maker makes the entries that rows of a table have in one of its indexes.
type Maker struct {
	Table *catalog.Table
	Index *catalog.Index
	parts []*eval.Prog // per part; nil for a column
	where *eval.Prog
	enc   *rowcodec.RowEncoder

	// lossy are the columns that expressions read and of whose values the store keeps less
	// than memory may hold: 1.50 is 1.5 when it is read again.
	lossy   []int
	reads   []bool     // by column of the table: entries are made of it
	vals    []*vec.Vec // of parts, for the batch at hand
	seen    vec.Batch  // it, as the store keeps it
	keyVals []types.Datum
	cells   []types.Datum
	tie     []byte
	muts    []storage.Mutation // of the entries made since Reset, and room for more
}

// Entry is a row of an index: its key and the mutations that write it. A row that the
// index's predicate leaves out has none: Key is nil.
type Entry struct {
	Key   []byte
	Muts  []storage.Mutation
	Claim bool // no other row may have the same key
}

// Equal says that two entries are the same but for their timestamps.
func (e *Entry) Equal(o *Entry) bool {
	return bytes.Equal(e.Key, o.Key) && slices.EqualFunc(e.Muts, o.Muts, func(a, b storage.Mutation) bool {
		return a.Op == b.Op && a.Family == b.Family && bytes.Equal(a.Qualifier, b.Qualifier) && bytes.Equal(a.Value, b.Value)
	})
}

// NewMaker makes the Maker of one of t's indexes.
func NewMaker(t *catalog.Table, ix *catalog.Index) (*Maker, error) {
	x := &Maker{Table: t, Index: ix, enc: rowcodec.NewRowEncoder(ix.Codec()), reads: make([]bool, len(t.Columns))}
	compile := func(s expr.Stored) (*eval.Prog, error) {
		if s == "" {
			return nil, nil
		}
		e, err := s.Bind(t.Types, func(id int) (*expr.Col, bool) {
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
			x.reads[i] = true
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
	for _, of := range ix.Key {
		if of.Column >= 0 {
			x.reads[of.Column] = true
		}
	}
	for _, i := range slices.Concat(t.PrimaryKey, ix.Cells) {
		x.reads[i] = true
	}
	var err error
	x.where, err = compile(ix.Where)
	x.vals = make([]*vec.Vec, len(ix.Parts))
	x.keyVals = make([]types.Datum, len(ix.Key))
	x.cells = make([]types.Datum, len(ix.Cells))
	return x, err
}

// Reads says whether entries are made of a column of the table: of the others, Begin may be
// given NULLs.
func (x *Maker) Reads(col int) bool { return x.reads[col] }

func lossy(c *rowcodec.Column) bool {
	switch c.Type {
	case rowcodec.Varchar, rowcodec.Varbinary, rowcodec.VarbinaryEncoded, rowcodec.Boolean, rowcodec.Integer, rowcodec.BigInt, rowcodec.SmallInt:
		return false
	}
	return true
}

// Begin evaluates the index's expressions over the selected rows of b, whose first columns
// are the table's, and gives those that the index has. What sel and b hold must stand until
// the entries are made.
func (x *Maker) Begin(env *expr.Env, b *vec.Batch) (sel []uint16, err error) {
	x.seen.Cols = append(x.seen.Cols[:0], b.Cols[:len(x.Table.Columns)]...)
	x.seen.N, x.seen.Sel = b.N, b.Sel
	for _, i := range x.lossy {
		if x.seen.Cols[i], err = asStored(x.Table, i, b); err != nil {
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

// Part gives the value of a part in the row at slot.
func (x *Maker) Part(n, slot int) types.Datum {
	if x.parts[n] != nil {
		return x.vals[n].Datum(slot)
	}
	return x.seen.Cols[x.Index.Key[n].Column].Datum(slot)
}

// Entry makes the entry of the row at slot, one that Begin gave. Its bytes are valid until
// reset; keys are appended to keys.
func (x *Maker) Entry(keys []byte, slot int, ts int64) (_ []byte, e Entry, err error) {
	e.Claim = x.Index.Unique
	for k, of := range x.Index.Key {
		switch {
		case of.Part >= 0:
			x.keyVals[k] = x.Part(of.Part, slot)
			e.Claim = e.Claim && (!x.keyVals[k].Null || x.Index.NullsNotDistinct)
		case of.Column >= 0:
			x.keyVals[k] = x.seen.Cols[of.Column].Datum(slot)
		}
	}
	if x.Index.Unique {
		x.tie = x.tie[:0]
		if !e.Claim {
			if x.tie, err = x.rowKey(x.tie, slot); err != nil {
				return keys, e, err
			}
		}
		x.keyVals[len(x.keyVals)-1] = types.NewBytes(x.tie)
	}
	at := len(keys)
	if keys, err = x.Index.Codec().Key.AppendKey(keys, x.keyVals); err != nil {
		return keys, e, x.tooLarge(err)
	}
	e.Key = keys[at:len(keys):len(keys)]
	for c, col := range x.Index.Cells {
		x.cells[c] = x.seen.Cols[col].Datum(slot)
	}
	if n := 2 + len(x.cells); cap(x.muts)-len(x.muts) < n { // the most that AppendRow makes
		x.muts = make([]storage.Mutation, 0, max(n, min(2*cap(x.muts), mutsChunk)))
	}
	at = len(x.muts)
	x.muts, err = x.enc.AppendRow(x.muts, x.cells, ts, true)
	e.Muts = x.muts[at:len(x.muts):len(x.muts)]
	return keys, e, err
}

// rowKey appends the logical key of the row at slot.
func (x *Maker) rowKey(dst []byte, slot int) ([]byte, error) {
	vals := make([]types.Datum, len(x.Table.PrimaryKey))
	for i, col := range x.Table.PrimaryKey {
		vals[i] = x.seen.Cols[col].Datum(slot)
	}
	return x.Table.Codec().Key.AppendLogicalKey(dst, vals)
}

// tooLarge says of which index a key that cannot be stored is.
func (x *Maker) tooLarge(err error) error {
	if e := sqlerr.As(err); e != nil && e.Code == sqlerr.ProgramLimitExceeded {
		e.Message = "index " + `"` + x.Index.Name + `": ` + e.Message
		return e.WithHint("Values larger than that cannot be indexed: index a hash of them, or a part.")
	}
	return err
}

// mutsChunk bounds how many mutations are made room for at once.
const mutsChunk = 4096

// Reset frees the bytes and the mutations of the entries made so far.
func (x *Maker) Reset() {
	x.enc.Reset()
	if poison.On {
		clear(x.muts)
	}
	x.muts = x.muts[:0]
}

// Holds says whether the column of the index's table has the value d in the row at slot that
// Begin saw.
func (x *Maker) Holds(col, slot int, d types.Datum) bool {
	return types.Equal(x.Table.Columns[col].Type, d, x.seen.Cols[col].Datum(slot))
}

// PrimaryKey decodes the primary key that a row of the index's storage table leads to.
func (x *Maker) PrimaryKey(b *storage.RowBatch, i int) ([]types.Datum, error) {
	var wantKey, wantCells []int
	for _, s := range x.Index.RowKey {
		if s.Key >= 0 {
			wantKey = append(wantKey, s.Key)
		} else {
			wantCells = append(wantCells, s.Cell)
		}
	}
	dec := rowcodec.NewRowDecoder(x.Index.Codec(), wantKey, wantCells)
	var out []*vec.Vec
	for _, t := range dec.Types() {
		v := vec.New(t)
		v.Resize(1)
		out = append(out, v)
	}
	if err := dec.DecodeRow(b, i, 0, out); err != nil {
		return nil, err
	}
	vals := make([]types.Datum, len(x.Index.RowKey))
	keys, cells := 0, len(wantKey)
	for p, s := range x.Index.RowKey {
		at := &keys
		if s.Key < 0 {
			at = &cells
		}
		vals[p] = out[*at].Datum(0).Clone(out[*at].Type)
		*at++
	}
	return vals, nil
}

// RowKey gives the key of the row that a row of the index's storage table leads to.
func (x *Maker) RowKey(b *storage.RowBatch, i int) ([]byte, error) {
	vals, err := x.PrimaryKey(b, i)
	if err != nil {
		return nil, err
	}
	return x.Table.Codec().Key.AppendKey(nil, vals)
}
