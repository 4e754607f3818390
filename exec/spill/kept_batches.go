package spill

import (
	"fmt"
	"io"
	"os"
	"sort"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// KeptBatches keeps rows in columns, in the order they come, for any number of readers
// who start where they like while more are added: a window's partitions.
//
//	page 0 [rows 0…999]   page 1 [rows 1000…2023]   page 2: in the file   …
//
// Rows are numbered from 0 and never renumbered. A page lies in memory while the
// statement's account allows; else its rows are bytes in a file without a name, and
// each reader has memory for one of those. One goroutine uses all of it at a time.
type KeptBatches struct {
	cx    *op.Context
	types []types.T
	hold  memory.Share
	pages []keptPage
	first int // of pages, those before are forgotten
	Rows  int64
	spare []*vec.Batch // of forgotten pages

	file     *os.File
	unlinked bool
	size     int64 // of file
	buf      []byte
	Spilled  int64 // bytes, all told
}

// keptPage is some rows: b holds them, or the file's bytes from at on.
type keptPage struct {
	from int64
	n    int
	b    *vec.Batch
	at   int64
	size int
}

// pageBytes is about how many bytes of values a page has at most.
const pageBytes = 1 << 20

func (k *KeptBatches) Open(cx *op.Context, ts []types.T) {
	*k = KeptBatches{cx: cx, types: ts, hold: memory.Of(cx.Memory, true)}
}

// Add keeps the selected slots of cols, of which there may be more than the first ones
// that are kept.
func (k *KeptBatches) Add(cols []*vec.Vec, sel []uint16) error {
	for len(sel) > 0 {
		room := vec.MaxRows
		last := len(k.pages) - 1
		grows := last >= k.first && k.pages[last].b != nil && k.pages[last].n < vec.MaxRows/2 && k.pages[last].size < pageBytes/2
		if grows {
			room -= k.pages[last].n
		}
		n, size := 0, 0
		for n < min(len(sel), room) && size < pageBytes {
			for i, t := range k.types {
				if t.Phys() == types.PhysBytes && !cols[i].Nulls.Get(int(sel[n])) {
					size += len(cols[i].Bytes[sel[n]])
				}
			}
			n++
		}
		var err error
		if grows {
			err = k.growPage(&k.pages[last], cols, sel[:n])
		} else {
			err = k.addPage(cols, sel[:n])
		}
		if err != nil {
			return err
		}
		k.Rows += int64(n)
		sel = sel[n:]
	}
	return nil
}

// growPage adds rows to the last page.
func (k *KeptBatches) growPage(p *keptPage, cols []*vec.Vec, sel []uint16) error {
	size := fillFrom(p.b, p.n, cols, sel)
	p.n += len(sel)
	if err := k.hold.MustTo(k.hold.Bytes() + size - int64(p.size)); err != nil {
		return err
	}
	p.size = int(size)
	return nil
}

func (k *KeptBatches) addPage(cols []*vec.Vec, sel []uint16) error {
	b := k.fresh()
	for _, v := range b.Cols {
		v.Resize(0)
		v.EmptyBuf()
	}
	size := fillFrom(b, 0, cols, sel)
	p := keptPage{from: k.Rows, n: len(sel)}
	if k.hold.To(k.hold.Bytes() + size) {
		p.b, p.size = b, int(size)
	} else {
		if err := k.write(&p, b); err != nil {
			return err
		}
		k.spare = append(k.spare, b)
	}
	k.pages = append(k.pages, p)
	return nil
}

// fillFrom copies the slots sel of cols into b from slot at on, and gives b's size.
func fillFrom(b *vec.Batch, at int, cols []*vec.Vec, sel []uint16) (size int64) {
	for i, v := range b.Cols {
		v.Extend(at + len(sel))
		vec.CopySlots(v, at, cols[i], sel)
		size += v.Size()
	}
	b.N, b.Sel = at+len(sel), nil
	return size
}

// fresh gives a batch to fill.
func (k *KeptBatches) fresh() *vec.Batch {
	if n := len(k.spare); n > 0 {
		b := k.spare[n-1]
		k.spare = k.spare[:n-1]
		return b
	}
	return vec.NewBatch(k.types)
}

// write puts a page into the file.
func (k *KeptBatches) write(p *keptPage, b *vec.Batch) error {
	if k.file == nil {
		var err error
		if k.file, k.unlinked, err = newTempFile(k.cx); err != nil {
			return err
		}
	}
	k.buf = k.buf[:0]
	for i := range b.N {
		k.buf = AppendRow(k.buf, b.Cols, i)
	}
	p.at, p.size = k.size, len(k.buf)
	if _, err := k.file.WriteAt(k.buf, k.size); err != nil {
		return spillError(err)
	}
	k.size += int64(len(k.buf))
	k.Spilled += int64(len(k.buf))
	return k.cx.Canceled()
}

// Forget lets go of pages all of whose rows are before row.
func (k *KeptBatches) Forget(row int64) {
	for k.first < len(k.pages) && k.pages[k.first].from+int64(k.pages[k.first].n) <= row {
		p := &k.pages[k.first]
		if p.b != nil {
			k.hold.MustTo(k.hold.Bytes() - int64(p.size)) // less cannot fail
			if len(k.spare) < 2 {
				k.spare = append(k.spare, p.b)
			}
			p.b = nil
		}
		k.first++
	}
	if k.first > 64 && k.first > len(k.pages)/2 {
		k.pages = append(k.pages[:0], k.pages[k.first:]...)
		k.first = 0
	}
	if k.first == len(k.pages) && k.file != nil {
		k.size = 0 // nobody reads what is there
	}
}

// pageOf gives the number of the page with a row.
func (k *KeptBatches) pageOf(row int64) int {
	return k.first + sort.Search(len(k.pages)-k.first, func(i int) bool {
		p := &k.pages[k.first+i]
		return p.from+int64(p.n) > row
	})
}

func (k *KeptBatches) Close() {
	k.hold.Release()
	if k.file != nil {
		k.file.Close()
		if !k.unlinked {
			os.Remove(k.file.Name())
		}
	}
	*k = KeptBatches{}
}

// KeptReader reads one KeptBatches; it must be closed before that is. It has the page it
// read last and the one before: rows around the end of a page are asked for in turn.
type KeptReader struct {
	Of *KeptBatches
	heldPage
	before heldPage
}

// heldPage is a page in a reader's hands.
type heldPage struct {
	b    *vec.Batch
	From int64 // of its rows
	To   int64
	own  *vec.Batch // where it was read from the file
	buf  []byte
	hold memory.Share // of own
}

func (r *KeptReader) Open(k *KeptBatches) {
	r.Of = k
	for _, h := range []*heldPage{&r.heldPage, &r.before} {
		h.b, h.From, h.To, h.hold = nil, 0, 0, memory.Of(k.cx.Memory, false)
		if h.own != nil && len(h.own.Cols) != len(k.types) {
			h.own, h.buf = nil, nil
		}
	}
}

// At gives the page with a row, and the row's slot there; both are the reader's until its
// next call. The row must not be forgotten.
func (r *KeptReader) At(row int64) (*vec.Batch, int, error) {
	if row < r.From || row >= r.To {
		r.heldPage, r.before = r.before, r.heldPage
		if row < r.From || row >= r.To {
			if err := r.load(row); err != nil {
				return nil, 0, err
			}
		}
	}
	return r.b, int(row - r.From), nil
}

func (r *KeptReader) load(row int64) error {
	i := r.Of.pageOf(row)
	if i == len(r.Of.pages) || row < r.Of.pages[i].from {
		return sqlerr.Internal(fmt.Errorf("row %d of %d", row, r.Of.Rows), "a kept row is not there")
	}
	p := &r.Of.pages[i]
	r.From, r.To = p.from, p.from+int64(p.n)
	if p.b != nil {
		r.b = p.b
		return nil
	}
	r.To = r.From // nothing, if this fails
	if err := r.Of.cx.Canceled(); err != nil {
		return err
	}
	if err := r.heldPage.read(r.Of, p); err != nil {
		return err
	}
	r.To = r.From + int64(p.n)
	return nil
}

// read reads a page from the file.
func (h *heldPage) read(k *KeptBatches, p *keptPage) error {
	if h.own == nil {
		h.own = vec.NewBatch(k.types)
	}
	poison.Bytes(h.buf)
	if cap(h.buf) < p.size {
		h.buf = make([]byte, p.size)
	}
	h.buf = h.buf[:p.size]
	if _, err := k.file.ReadAt(h.buf, p.at); err != nil && err != io.EOF {
		return spillError(err)
	}
	for _, v := range h.own.Cols {
		v.Resize(p.n)
	}
	src := h.buf
	for i := range p.n {
		src = DecodeRow(src, h.own.Cols, i)
	}
	n := int64(cap(h.buf))
	for _, v := range h.own.Cols {
		n += v.Size()
	}
	h.own.N, h.own.Sel, h.b = p.n, nil, h.own
	return h.hold.MustTo(n)
}

func (r *KeptReader) Close() {
	r.Of = nil
	for _, h := range []*heldPage{&r.heldPage, &r.before} {
		h.hold.Release()
		h.b, h.From, h.To = nil, 0, 0
	}
}
