package rowpack

import "github.com/saltsql/saltsql/storage"

// EmitValues is Emit for a batch of columns (RowBatch.StartColumns). Nothing of
// a row is copied but its key and the values asked for.
func (p *Plan) EmitValues(dst *storage.RowBatch, key, raw []byte) (bool, error) {
	s := p.shapes.last
	if s == nil || len(raw) < s.values || string(raw[:len(s.now)]) != string(s.now) {
		var err error
		if s, err = p.shapeOf(raw); err != nil {
			return false, err
		}
		if len(raw) < s.values {
			return false, ErrCorrupt
		}
	}
	if len(s.cells) == 0 && !p.every {
		return false, nil
	}
	ends, vals := raw[s.ends:s.values], raw[s.values:]
	if len(p.bounds) > 0 {
		if ok, err := s.matches(p.bounds, ends, vals); !ok || err != nil {
			return false, err
		}
	}
	refs := dst.AddValues(key)
	if len(s.cells) < len(refs) {
		for i := range refs {
			refs[i] = storage.Absent
		}
		if len(s.cells) == 0 {
			return true, nil
		}
	}
	if s.width != 1 {
		return true, s.wideValues(dst, refs, ends, vals)
	}
	from := 0
	if i := s.cells[0].index; i > 0 {
		from = int(ends[i-1])
	}
	to := int(ends[s.cells[len(s.cells)-1].index])
	if from > to || to > len(vals) {
		return false, ErrCorrupt
	}
	shift := dst.AddBytes(vals[from:to]) - uint32(from)
	at := uint32(from)
	for i := range s.cells {
		c := &s.cells[i]
		lo, hi := uint32(0), uint32(ends[c.index])
		if c.index > 0 {
			lo = uint32(ends[c.index-1])
		}
		if lo < at || hi < lo {
			return false, ErrCorrupt
		}
		at = hi
		refs[c.column] = storage.ValueRef{Lo: lo + shift, Hi: hi + shift}
	}
	return true, nil
}

// wideValues is for rows whose offsets take more than a byte: values that are
// not wanted are left out where that saves something.
func (s *shape) wideValues(dst *storage.RowBatch, refs []storage.ValueRef, ends, vals []byte) error {
	for i := 0; i < len(s.cells); {
		j := i + 1
		from, to := s.value(i, ends)
		for j < len(s.cells) {
			lo, hi := s.value(j, ends)
			if lo < to || lo-to > sparseBytes {
				break
			}
			to = max(to, hi)
			j++
		}
		if from > to || to > len(vals) {
			return ErrCorrupt
		}
		base := int(dst.AddBytes(vals[from:to]))
		for ; i < j; i++ {
			lo, hi := s.value(i, ends)
			if lo > hi || lo < from || hi > to {
				return ErrCorrupt
			}
			refs[s.cells[i].column] = storage.ValueRef{Lo: uint32(base + lo - from), Hi: uint32(base + hi - from)}
		}
	}
	return nil
}

// value gives where wanted cell i lies among the values.
func (s *shape) value(i int, ends []byte) (lo, hi int) {
	c := &s.cells[i]
	return endOf(ends, s.width, c.index-1), endOf(ends, s.width, c.index)
}
