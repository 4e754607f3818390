package exec

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// overflow holds rows of groups that no memory was left for, spread over files
// by the hash of their group: each file is aggregated by itself afterwards.
type overflow struct {
	cx    *Context
	depth int
	seed  maphash.Seed
	files [overflowFiles]*spillFile
}

const (
	overflowFiles = 16
	// maxOverflow bounds how often a file is split again: with 16 files a time
	// only memory below any use gets there.
	maxOverflow = 8
)

func newOverflow(cx *Context, depth int) (*overflow, error) {
	if depth >= maxOverflow {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "out of memory").
			WithDetail("Grouping needs more than work_mem after %d passes.", depth).WithHint("Raise work_mem.")
	}
	return &overflow{cx: cx, depth: depth, seed: maphash.MakeSeed()}, nil
}

// add writes a row by its group's key.
func (o *overflow) add(key, row []byte) error {
	i := maphash.Bytes(o.seed, key) % overflowFiles
	if o.files[i] == nil {
		f, err := newSpillFile(o.cx)
		if err != nil {
			return err
		}
		o.files[i] = f
	}
	return o.files[i].write(key, row)
}

// take gives the files, ready to be read; they are the caller's.
func (o *overflow) take() ([]*spillFile, int64, error) {
	var files []*spillFile
	var n int64
	for i, f := range o.files {
		if f == nil {
			continue
		}
		files = append(files, f)
		o.files[i] = nil
		n += f.bytes
		if err := f.rewind(); err != nil {
			return files, n, err
		}
	}
	return files, n, nil
}

func (o *overflow) close() {
	for _, f := range o.files {
		if f != nil {
			f.close()
		}
	}
}

func groupOf(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
