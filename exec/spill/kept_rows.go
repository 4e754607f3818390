package spill

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// KeptRows are rows kept in columns, for an operator that comes back to them by number.
//
//	column 0   block of 1,024 values | block | block …
//	column 1   block                 | block | …
//
// Memory is booked by who holds it: see bytes.
type KeptRows struct {
	Types  []types.T
	Cols   [][]*vec.Vec // per column, its blocks: see vec.Take
	last   []*vec.Vec   // the last block of each
	Len    int
	full   int64 // bytes of all blocks but the last
	Widest int   // bytes of texts in one row, at most
}

func NewKeptRows(ts []types.T) *KeptRows {
	return &KeptRows{Types: ts, Cols: make([][]*vec.Vec, len(ts)), last: make([]*vec.Vec, len(ts))}
}

// Reset forgets all rows and their memory but that of a single block.
func (k *KeptRows) Reset() {
	for i, blocks := range k.Cols {
		if len(blocks) == 0 {
			continue
		}
		blocks[0].Resize(0)
		blocks[0].EmptyBuf()
		clear(blocks[1:])
		k.Cols[i] = blocks[:1]
	}
	k.Len, k.full, k.Widest = 0, 0, 0
}

// Drop forgets all rows and all memory.
func (k *KeptRows) Drop() {
	clear(k.Cols)
	k.Len, k.full, k.Widest = 0, 0, 0
}

// Add keeps the rows of a batch.
func (k *KeptRows) Add(b *vec.Batch) { k.AddRows(b.Cols, Selection(b)) }

// AddRows keeps the slots sel of columns.
func (k *KeptRows) AddRows(cols []*vec.Vec, sel []uint16) {
	for len(sel) > 0 {
		at := k.Len % vec.MaxRows
		part := sel[:min(len(sel), vec.MaxRows-at)]
		for i, src := range cols {
			vec.CopySlots(k.room(i, at, len(part)), at, src, part)
		}
		k.Widest = max(k.Widest, WidestRow(cols, part))
		k.Len += len(part)
		sel = sel[len(part):]
	}
}

// AddRow decodes a row that AppendRow made; its bytes are copied.
func (k *KeptRows) AddRow(row []byte) {
	at := k.Len % vec.MaxRows
	for i := range k.Types {
		k.last[i] = k.room(i, at, 1)
	}
	DecodeRow(row, k.last, at)
	width := 0
	for _, v := range k.last {
		switch v.Type.Phys() {
		case types.PhysBytes:
			if !v.Nulls.Get(at) {
				width += len(v.Bytes[at])
				v.SetBytes(at, v.Bytes[at])
			}
		case types.PhysArray:
			d := v.Datum(at)
			v.Hold(d.Behind())
		}
	}
	k.Widest = max(k.Widest, width)
	k.Len++
}

// room gives the last block of a column with room for n slots from at on. The first
// block grows with its rows, others are made whole.
func (k *KeptRows) room(col, at, n int) *vec.Vec {
	blocks := k.Cols[col]
	if at == 0 && k.Len > 0 || len(blocks) == 0 {
		if len(blocks) > 0 {
			k.full += blocks[len(blocks)-1].Size()
		}
		blocks = append(blocks, vec.New(k.Types[col]))
		k.Cols[col] = blocks
	}
	v := blocks[len(blocks)-1]
	switch {
	case v.Len() >= at+n:
	case len(blocks) > 1:
		v.Extend(vec.MaxRows)
	default:
		v.Extend(at + n)
	}
	return v
}

// Bytes is the memory that the rows take.
func (k *KeptRows) Bytes() int64 {
	n := k.full
	for _, blocks := range k.Cols {
		if len(blocks) > 0 {
			n += blocks[len(blocks)-1].Size()
		}
	}
	return n
}

// EachFrom calls use for the rows from r on, as slots of columns.
func (k *KeptRows) EachFrom(r int, use func(cols []*vec.Vec, sel []uint16) error) error {
	cols := make([]*vec.Vec, len(k.Types))
	for r < k.Len {
		block, from := r/vec.MaxRows, r%vec.MaxRows
		to := min(vec.MaxRows, from+k.Len-r)
		for i := range cols {
			cols[i] = k.Cols[i][block]
		}
		if err := use(cols, EverySlot[from:to]); err != nil {
			return err
		}
		r += to - from
	}
	return nil
}

// Block gives the column's block that row r lies in, and the slot there.
func (k *KeptRows) Block(col, r int) (*vec.Vec, int) {
	return k.Cols[col][r/vec.MaxRows], r % vec.MaxRows
}

// Width is the size of the texts in a row.
func (k *KeptRows) Width(r int) int {
	n := 0
	for i, blocks := range k.Cols {
		if k.Types[i].Phys() == types.PhysBytes {
			v := blocks[r/vec.MaxRows]
			if s := r % vec.MaxRows; !v.Nulls.Get(s) {
				n += len(v.Bytes[s])
			}
		}
	}
	return n
}

// WidestRow is the size of the texts of the largest of some rows.
func WidestRow(cols []*vec.Vec, sel []uint16) int {
	widest := 0
	for _, v := range cols {
		if v.Type.Phys() != types.PhysBytes {
			continue
		}
		most := 0
		nulls := v.Nulls.Any()
		for _, s := range sel {
			if !nulls || !v.Nulls.Get(int(s)) {
				most = max(most, len(v.Bytes[s]))
			}
		}
		widest += most
	}
	return widest
}

// RowWidth is the size of the texts in one slot.
func RowWidth(cols []*vec.Vec, slot int) int {
	one := [1]uint16{uint16(slot)}
	return WidestRow(cols, one[:])
}

// Selection lists the selected slots of a batch.
func Selection(b *vec.Batch) []uint16 {
	if b.Sel != nil {
		return b.Sel
	}
	return EverySlot[:b.N]
}

var EverySlot = func() (s [vec.MaxRows]uint16) {
	for i := range s {
		s[i] = uint16(i)
	}
	return s
}()

// MostWide is how many bytes of texts a batch of joined rows has at most, but for its
// last row.
const MostWide = storage.MaxBatchBytes
