package relational

import (
	"encoding/binary"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// overflow holds rows of groups that no memory was left for, spread over files
// by the hash of their group: each file is aggregated by itself afterwards.
type overflow struct {
	cx    *op.Context
	depth int
	files [overflowFiles]*spill.File
}

const (
	overflowFiles = 16
	// maxOverflow bounds how often a file is split again: with 16 files a time
	// only memory below any use gets there.
	maxOverflow = 8
)

func newOverflow(cx *op.Context, depth int) (*overflow, error) {
	if depth >= maxOverflow {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "out of memory").
			WithDetail("Grouping needs more than work_mem after %d passes.", depth).WithHint("Raise work_mem.")
	}
	return &overflow{cx: cx, depth: depth}, nil
}

// add writes a row by its group's hash; each pass spreads them otherwise.
func (o *overflow) add(hash uint64, row []byte) error {
	i := types.HashInt(int64(hash), uint64(o.depth)+1) >> 60
	if o.files[i] == nil {
		f, err := spill.NewFile(o.cx)
		if err != nil {
			return err
		}
		o.files[i] = f
	}
	return o.files[i].Write(nil, row)
}

// take gives the files, ready to be read; they are the caller's.
func (o *overflow) take() ([]*spill.File, int64, error) {
	var files []*spill.File
	var n int64
	for i, f := range o.files {
		if f == nil {
			continue
		}
		files = append(files, f)
		o.files[i] = nil
		n += f.Bytes
		if err := f.Rewind(); err != nil {
			return files, n, err
		}
	}
	return files, n, nil
}

func (o *overflow) close() {
	for _, f := range o.files {
		if f != nil {
			f.Close()
		}
	}
}

func groupOf(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
