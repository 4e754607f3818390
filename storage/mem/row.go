package mem

import (
	"slices"
	"time"
	"unsafe"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/rowstate"
)

// row is never changed once it is in a tree.
type row struct {
	key   string
	cells []storage.Cell // as rowstate.Row has them; their bytes are the store's own
}

func (r *row) bytes() int64 {
	return int64(len(r.key)) + (&rowstate.Row{Cells: r.cells}).Size()
}

// kept says what a table keeps.
func kept(spec *storage.TableSpec, now time.Time) *rowstate.Families {
	return &rowstate.Families{Specs: spec.Families, Now: now}
}

// held is about how much memory the row takes.
func (r *row) held() int64 {
	return r.bytes() + int64(unsafe.Sizeof(*r)) + int64(len(r.cells))*int64(unsafe.Sizeof(storage.Cell{}))
}

// apply gives the row that old (nil: none) becomes.
func apply(old *row, key string, muts []storage.Mutation) *row {
	var r rowstate.Row
	if old != nil {
		r.Cells = slices.Clone(old.cells)
	}
	own := slices.Clone(muts)
	for i := range own {
		own[i].Qualifier, own[i].Value = slices.Clone(own[i].Qualifier), slices.Clone(own[i].Value)
	}
	r.Apply(own)
	return &row{key: key, cells: r.Cells}
}

// holds evaluates a condition; r may be nil.
func holds(c *storage.Cond, spec *storage.TableSpec, r *row, now time.Time) bool {
	var state rowstate.Row
	if r != nil {
		state.Cells = r.cells
	}
	return state.Holds(c, kept(spec, now))
}
