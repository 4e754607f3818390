package relational

import (
	"encoding/binary"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// overflow holds rows of groups that a table does not take, because it has no memory for
// them or would outgrow the processor's caches. They are spread over parts by the hash of
// their group, and each part is aggregated by itself afterwards.
//
//	part 0  batches in memory
//	part 1  batches in memory
//	part 2  a file: as many of the last parts as there is no memory for
//	…
type overflow struct {
	cx    *op.Context
	depth int // how often its rows were put aside before
	parts []overflowPart
	kept  int // the parts before it are in memory
	sels  [overflowParts][]uint16
	row   []byte
	// scratch books row.
	scratch spill.Scratch
}

// overflowPart is the rows of some groups, in the order they came.
type overflowPart struct {
	batches []*vec.Batch
	full    int64        // bytes of all batches but the last
	hold    memory.Share // of the batches
	file    *spill.File
}

const (
	overflowParts = 1 << overflowBits
	overflowBits  = 5
	// maxOverflow bounds how often a part is split again: with 32 parts a time only memory
	// below any use gets there.
	maxOverflow = 8
)

func newOverflow(cx *op.Context, depth int) (*overflow, error) {
	if depth >= maxOverflow {
		return nil, sqlerr.New(sqlerr.OutOfMemory, "out of memory").
			WithDetail("Grouping needs more than work_mem after %d passes.", depth).WithHint("Raise work_mem.")
	}
	o := &overflow{cx: cx, depth: depth, parts: make([]overflowPart, overflowParts), kept: overflowParts}
	o.scratch.Open(cx)
	for i := range o.parts {
		o.parts[i].hold = memory.Of(cx.Memory, true)
	}
	return o, nil
}

// partOf gives the part of a group by its hash; each pass spreads them otherwise.
func partOf(hash uint64, depth int) int {
	return int(types.HashInt(int64(hash), uint64(depth)+1) >> (64 - overflowBits))
}

// add keeps rows: the slots of b that are listed.
func (o *overflow) add(b *vec.Batch, slots []uint16, hashes []uint64) error {
	for i := range o.sels {
		o.sels[i] = o.sels[i][:0]
	}
	for _, s := range slots {
		p := partOf(hashes[s], o.depth)
		o.sels[p] = append(o.sels[p], s)
	}
	for i, sel := range o.sels {
		if len(sel) == 0 {
			continue
		}
		p := &o.parts[i]
		if i >= o.kept {
			if err := o.write(p, b.Cols, sel); err != nil {
				return err
			}
			continue
		}
		p.keep(b.Cols, sel)
		for i < o.kept && !o.book(p) {
			if err := o.spill(); err != nil {
				return err
			}
		}
	}
	return nil
}

// book books what a part holds; false if that is more than the rows may have: half of what
// can be spilled is for the tables that are made of them.
func (o *overflow) book(p *overflowPart) bool {
	m, n := o.cx.Memory, p.bytes()
	if m != nil && m.Work() > 0 && m.Spillable()+n-p.hold.Bytes() > m.Work()/2 {
		return false
	}
	return p.hold.To(n)
}

// keep copies rows into memory.
func (p *overflowPart) keep(cols []*vec.Vec, sel []uint16) {
	for len(sel) > 0 {
		var last *vec.Batch
		if n := len(p.batches); n > 0 {
			last = p.batches[n-1]
		}
		if last == nil || last.N == vec.MaxRows {
			last = &vec.Batch{Cols: make([]*vec.Vec, len(cols))}
			for i, c := range cols {
				last.Cols[i] = vec.New(c.Type)
				if len(p.batches) > 0 { // more are to come
					last.Cols[i].Extend(vec.MaxRows)
				}
			}
			p.full = p.bytes()
			p.batches = append(p.batches, last)
		}
		n := min(len(sel), vec.MaxRows-last.N)
		for i, v := range last.Cols {
			if v.Len() < last.N+n {
				v.Extend(last.N + n)
			}
			vec.CopySlots(v, last.N, cols[i], sel[:n])
		}
		last.N += n
		sel = sel[n:]
	}
}

// bytes is what the batches take.
func (p *overflowPart) bytes() int64 {
	n := p.full
	if len(p.batches) > 0 {
		for _, v := range p.batches[len(p.batches)-1].Cols {
			n += v.Size() + vec.EmptySize
		}
	}
	return n
}

// spill writes the last part that is in memory to a file, where its rows go from now on.
func (o *overflow) spill() error {
	o.kept--
	p := &o.parts[o.kept]
	for _, b := range p.batches {
		if err := o.write(p, b.Cols, spill.EverySlot[:b.N]); err != nil {
			return err
		}
	}
	p.free()
	return o.cx.Canceled()
}

func (o *overflow) write(p *overflowPart, cols []*vec.Vec, sel []uint16) error {
	if p.file == nil {
		f, err := spill.NewFile(o.cx)
		if err != nil {
			return err
		}
		p.file = f
	}
	for _, s := range sel {
		o.row = spill.AppendRow(o.row[:0], cols, int(s))
		if err := o.scratch.Book(cap(o.row)); err != nil {
			return err
		}
		if err := p.file.Write(nil, o.row); err != nil {
			return err
		}
	}
	return nil
}

// free lets go of the batches.
func (p *overflowPart) free() {
	p.batches, p.full = nil, 0
	p.hold.Release()
}

func (p *overflowPart) empty() bool { return len(p.batches) == 0 && p.file == nil }

func (p *overflowPart) close() {
	p.free()
	if p.file != nil {
		p.file.Close()
		p.file = nil
	}
}

// take gives the parts by their number; they are the caller's. Their files have no buffers
// until they are rewound, for many wait while one is read. The bytes are those of files.
func (o *overflow) take() (parts []*overflowPart, spilled int64, err error) {
	taken := o.parts
	o.parts = nil
	o.scratch.Close()
	for i := range taken {
		p := &taken[i]
		parts = append(parts, p)
		if p.file != nil && err == nil {
			spilled += p.file.Bytes
			err = p.file.Park()
		}
	}
	return parts, spilled, err
}

func (o *overflow) close() {
	o.scratch.Close()
	for i := range o.parts {
		o.parts[i].close()
	}
}

func groupOf(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
