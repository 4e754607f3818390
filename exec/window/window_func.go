package window

import (
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// newEval makes what computes a call.
func (w *window) newEval(c *plan.WindowCall) (windowEval, error) {
	if c.Agg != nil {
		return w.newWindowAgg(c)
	}
	args, err := w.columns(c.Args)
	if err != nil {
		return nil, err
	}
	if !c.Func.OfFrame {
		if _, err := w.newFrame(c.Frame); err != nil {
			return nil, err
		}
	}
	switch c.Func.Name {
	case "row_number", "rank", "dense_rank", "percent_rank", "cume_dist":
		return &ranking{name: c.Func.Name}, nil
	case "ntile":
		return &ntile{arg: args[0]}, nil
	case "lag", "lead":
		return &lagLead{lead: c.Func.Name == "lead", args: args}, nil
	case "first_value", "last_value", "nth_value":
		v := &frameValue{name: c.Func.Name, args: args}
		v.frame, err = w.newFrame(c.Frame)
		return v, err
	}
	return nil, sqlerr.Internal(nil, "no window function %q", c.Func.Name)
}

// ranking numbers a row by its place in the partition.
type ranking struct{ name string }

func (*ranking) begin(*window) error { return nil }
func (*ranking) bytes() int64        { return 0 }
func (*ranking) close()              {}

func (f *ranking) block(w *window, lo, hi int64, out *vec.Vec, at int) error {
	n := int(hi - lo)
	p := &w.peers
	switch f.name {
	case "row_number":
		for i := range n {
			out.Ints[at+i] = lo + int64(i) - w.from + 1
		}
	case "rank":
		for i := range n {
			out.Ints[at+i] = p.start[i] - w.from + 1
		}
	case "dense_rank":
		for i := range n {
			out.Ints[at+i] = p.group[i] + 1
		}
	case "percent_rank":
		for i := range n {
			out.Floats[at+i] = 0
			if rows := w.to - w.from; rows > 1 {
				out.Floats[at+i] = float64(p.start[i]-w.from) / float64(rows-1)
			}
		}
	case "cume_dist":
		for i := range n {
			out.Floats[at+i] = float64(p.end[i]-w.from) / float64(w.to-w.from)
		}
	}
	return nil
}

// ntile deals the rows out to as many buckets as the first row says, the larger ones first.
type ntile struct {
	arg    int
	reader spill.KeptReader
	size   int64 // of a bucket; 0 until a row says how many there are
	larger int64 // buckets that take one more
	bucket int64
	in     int64 // rows in it
}

func (f *ntile) begin(w *window) error {
	f.reader.Open(&w.kept)
	f.size, f.larger, f.bucket, f.in = 0, 0, 0, 0
	return nil
}

func (f *ntile) block(w *window, lo, hi int64, out *vec.Vec, at int) error {
	for r := lo; r < hi; r++ {
		i := at + int(r-lo)
		if f.bucket == 0 {
			b, s, err := f.reader.At(r)
			if err != nil {
				return err
			}
			if b.Cols[f.arg].Nulls.Get(s) {
				out.Nulls.Set(i)
				continue
			}
			buckets := b.Cols[f.arg].Ints[s]
			if buckets <= 0 {
				return sqlerr.New(sqlerr.InvalidArgumentForNtile, "argument of ntile must be greater than zero")
			}
			f.bucket = 1
			f.size = max((w.to-w.from)/buckets, 1)
			if w.to-w.from >= buckets {
				f.larger = (w.to - w.from) % buckets
			}
		}
		full := f.size
		if f.bucket <= f.larger {
			full++
		}
		if f.in == full {
			f.bucket, f.in = f.bucket+1, 0
		}
		f.in++
		out.Ints[i] = f.bucket
	}
	return nil
}

func (f *ntile) bytes() int64 { return 0 }
func (f *ntile) close()       { f.reader.Close() }

// lagLead gives a value of a row before or after.
type lagLead struct {
	lead    bool
	args    []int
	current spill.KeptReader
	other   spill.KeptReader
}

func (f *lagLead) begin(w *window) error {
	if f.current.Of == nil {
		f.current.Open(&w.kept)
		f.other.Open(&w.kept)
	}
	return nil
}

func (f *lagLead) block(w *window, lo, hi int64, out *vec.Vec, at int) error {
	for r := lo; r < hi; r++ {
		i := at + int(r-lo)
		offset := int64(1)
		if len(f.args) > 1 {
			b, s, err := f.current.At(r)
			if err != nil {
				return err
			}
			if b.Cols[f.args[1]].Nulls.Get(s) {
				out.Nulls.Set(i)
				continue
			}
			offset = b.Cols[f.args[1]].Ints[s]
		}
		if !f.lead {
			offset = -offset
		}
		if row := r + offset; row >= w.from && row < w.to {
			b, s, err := f.other.At(row)
			if err != nil {
				return err
			}
			vec.CopySlot(out, i, b.Cols[f.args[0]], s)
			continue
		}
		if len(f.args) < 3 {
			out.Nulls.Set(i)
			continue
		}
		b, s, err := f.current.At(r)
		if err != nil {
			return err
		}
		vec.CopySlot(out, i, b.Cols[f.args[2]], s)
	}
	return nil
}

func (f *lagLead) bytes() int64 { return 0 }

func (f *lagLead) close() {
	f.current.Close()
	f.other.Close()
}

// frameValue gives a value of a row of the frame.
type frameValue struct {
	name    string
	args    []int
	frame   *frame
	current spill.KeptReader
	other   spill.KeptReader
}

func (f *frameValue) begin(w *window) error {
	if f.current.Of == nil {
		f.current.Open(&w.kept)
		f.other.Open(&w.kept)
	}
	return nil
}

func (f *frameValue) block(w *window, lo, hi int64, out *vec.Vec, at int) error {
	if err := f.frame.block(w, lo, hi); err != nil {
		return err
	}
	for r := lo; r < hi; r++ {
		i := at + int(r-lo)
		rows := f.frame.of(w, r, int(r-lo))
		n := int64(0)
		switch f.name {
		case "last_value":
			n = rows.rows() - 1
		case "nth_value":
			b, s, err := f.current.At(r)
			if err != nil {
				return err
			}
			if b.Cols[f.args[1]].Nulls.Get(s) {
				out.Nulls.Set(i)
				continue
			}
			if n = b.Cols[f.args[1]].Ints[s] - 1; n < 0 {
				return sqlerr.New(sqlerr.InvalidArgumentForNthValue, "argument of nth_value must be greater than zero")
			}
		}
		row, ok := rows.nth(n)
		if n < 0 || !ok {
			out.Nulls.Set(i)
			continue
		}
		b, s, err := f.other.At(row)
		if err != nil {
			return err
		}
		vec.CopySlot(out, i, b.Cols[f.args[0]], s)
	}
	return nil
}

func (f *frameValue) bytes() int64 { return 0 }

func (f *frameValue) close() {
	f.current.Close()
	f.other.Close()
}
