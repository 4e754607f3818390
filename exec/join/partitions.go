package join

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
)

// joinPartitions spreads rows of one side of a join over files by the hash of their
// keys, by other bits at each depth.
type joinPartitions struct {
	cx    *op.Context
	depth int
	files [joinFiles]*spill.RowFile
	row   []byte
}

const (
	joinFiles     = 16
	joinFileBits  = 4
	maxSplits     = 6  // how often rows are spread again
	firstSplitBit = 58 // below the class of a hash; table slots go by the lowest bits
)

// add writes the slots sel of columns.
func (p *joinPartitions) add(cols []*vec.Vec, sel []uint16, hashes []uint64) error {
	shift := firstSplitBit - joinFileBits*p.depth
	for _, s := range sel {
		f := &p.files[hashes[s]>>shift%joinFiles]
		if *f == nil {
			made, err := spill.NewFile(p.cx)
			if err != nil {
				return err
			}
			*f = &spill.RowFile{File: made}
		}
		p.row = spill.AppendRow(p.row[:0], cols, int(s))
		(*f).Rows++
		if err := (*f).Write(nil, p.row); err != nil {
			return err
		}
	}
	return p.cx.Canceled()
}

// park ends writing; it gives the bytes written.
func (p *joinPartitions) park() (n int64, err error) {
	for _, f := range p.files {
		if f != nil {
			n += f.Bytes
			if e := f.Park(); e != nil && err == nil {
				err = e
			}
		}
	}
	return n, err
}

func (p *joinPartitions) close() {
	for i, f := range p.files {
		f.Drop()
		p.files[i] = nil
	}
}
