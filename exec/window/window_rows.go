package window

import (
	"io"

	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// take keeps the next batch of rows in order, or sets eof.
func (w *window) take() error {
	if err := w.cx.Canceled(); err != nil {
		return err
	}
	if !w.n.Sorted {
		err := w.sorter.Fill(w.batch, &w.buf)
		if err == io.EOF {
			w.eof = true
			w.sorter.Close()
			return nil
		}
		if err != nil {
			return err
		}
		return w.parts.Each(w.batch, func(part *vec.Batch) error { return w.evalExtra(part, part.Cols) }, w.keep)
	}
	b, err := w.in.Next()
	if err == io.EOF {
		w.eof = true
		return w.in.Close()
	}
	if err != nil {
		return err
	}
	return w.parts.Each(b, func(part *vec.Batch) error {
		if err := w.keys.Eval(w.cx.Env, part); err != nil {
			return err
		}
		return w.evalExtra(part, w.withKeys(part))
	}, w.keep)
}

// evalExtra computes what calls read of a part's rows; cols are its columns and keys.
func (w *window) evalExtra(part *vec.Batch, cols []*vec.Vec) error {
	w.all = append(w.all[:0], cols...)
	for _, p := range w.extra {
		v, err := p.EvalNarrow(w.cx.Env, part)
		if err != nil {
			return err
		}
		w.all = append(w.all, v)
	}
	return nil
}

// keep marks where partitions and peers begin and keeps the rows.
func (w *window) keep(b *vec.Batch) error {
	sel := spill.Selection(b)
	w.marks.Resize(b.N)
	for i, s := range sel {
		samePart, same := false, false
		if row := w.kept.Rows + int64(i); row > 0 {
			prev, slot := w.last.Cols, 0
			samePart = true
			for k, at := range w.part {
				v := w.all[at]
				pv := v
				if i > 0 {
					slot = int(sel[i-1])
				} else {
					pv = prev[k]
				}
				samePart = samePart && vec.Equal(v, int(s), pv, slot)
			}
			same = samePart
			for k, at := range w.order {
				v := w.all[at]
				pv := v
				if i > 0 {
					slot = int(sel[i-1])
				} else {
					pv = prev[len(w.part)+k]
				}
				same = same && vec.Equal(v, int(s), pv, slot)
			}
		}
		if !samePart {
			w.starts = append(w.starts, w.kept.Rows+int64(i))
		}
		w.marks.Bools[s] = !same
	}
	if len(sel) > 0 {
		at := append(w.part[:len(w.part):len(w.part)], w.order...)
		for k, v := range w.last.Cols {
			v.Resize(1)
			v.EmptyBuf()
			vec.CopySlot(v, 0, w.all[at[k]], int(sel[len(sel)-1]))
		}
	}
	w.all = append(w.all[:w.peer], w.marks)
	return w.kept.Add(w.all, sel)
}

// give computes the calls for the rows of the next page, or for as many as are not
// too large together, and gives them.
func (w *window) give() (*vec.Batch, error) {
	page, first, err := w.main.At(w.next)
	if err != nil {
		return nil, err
	}
	n := page.N // it may grow
	for i := range w.calls {
		w.calls[i].res.Resize(n)
		w.calls[i].res.EmptyBuf()
	}
	slot, block := first, vec.MaxRows
	if !w.wideOK {
		block = 16
	}
	var size int64
	for slot < n && size < storage.MaxBatchBytes {
		if w.next == w.to {
			if err := w.nextPartition(); err != nil {
				return nil, err
			}
		}
		hi := min(w.next+int64(min(block, n-slot)), w.to)
		if err := w.peers.block(w, w.next, hi); err != nil {
			return nil, err
		}
		for i := range w.calls {
			if err := w.calls[i].eval.block(w, w.next, hi, w.calls[i].res, slot); err != nil {
				return nil, err
			}
		}
		before := size
		if size, err = w.book(); err != nil {
			return nil, err
		}
		switch {
		case w.wideOK:
		case size-before > 64<<10:
			block = max(block/4, 1)
		case block < vec.MaxRows:
			block *= 2
		}
		slot += int(hi - w.next)
		w.next = hi
		if err := w.cx.Canceled(); err != nil {
			return nil, err
		}
	}
	copy(w.out.Cols, page.Cols[:w.nIn])
	w.out.N, w.out.Sel = slot, nil
	if first > 0 {
		w.sel = append(w.sel[:0], spill.EverySlot[first:slot]...)
		w.out.Sel = w.sel
	}
	return &w.out, nil
}
