package spliced

import (
	"bytes"

	"github.com/saltsql/saltsql/storage"
)

// place is a part and where its buckets begin among those of the table.
type place struct {
	Part
	first int
}

func places(parts []Part) placeList {
	list := make(placeList, len(parts))
	first := 0
	for i, p := range parts {
		list[i] = place{p, first}
		first += p.Places()
	}
	return list
}

type placeList []place

// of finds the place of a key: its index, -1 where no row can be.
func (l placeList) of(key []byte) int {
	if len(key) == 0 {
		return -1
	}
	for i := range l {
		if p := &l[i]; int(key[0]) < p.first+p.Places() {
			return i
		}
	}
	return -1
}

// down gives the key that the part has of one of its keys in the table.
func (p *place) down(key []byte) []byte {
	switch {
	case p.Buckets == 0:
		return key[1:]
	case p.first == 0:
		return key
	}
	own := bytes.Clone(key)
	own[0] -= byte(p.first)
	return own
}

// up appends the table's key of one of the part's.
func (p *place) up(dst, own []byte) []byte {
	if p.Buckets == 0 {
		return append(append(dst, byte(p.first)), own...)
	}
	at := len(dst)
	dst = append(dst, own...)
	if len(dst) > at {
		dst[at] += byte(p.first)
	}
	return dst
}

// start is the first key that the part may have, and end the first behind all, nil for none.
func (p *place) start() []byte { return []byte{byte(p.first)} }

func (p *place) end() []byte {
	if e := p.first + p.Places(); e < MaxBuckets {
		return []byte{byte(e)}
	}
	return nil
}

// cut gives the part's own span of what span has of it; ok is false for nothing.
func (p *place) cut(span storage.Span) (own storage.Span, ok bool) {
	if e := p.end(); e != nil && bytes.Compare(span.Start, e) >= 0 {
		return own, false
	}
	if len(span.End) > 0 && bytes.Compare(span.End, p.start()) <= 0 {
		return own, false
	}
	if len(span.Start) > 0 && int(span.Start[0]) >= p.first {
		own.Start = p.down(span.Start)
	}
	if len(span.End) > 0 && int(span.End[0]) < p.first+p.Places() {
		own.End = p.down(span.End)
		if len(own.End) == 0 {
			return own, false
		}
	}
	return own, !own.Empty()
}

// cuts is cut of several spans, sorted and disjoint.
func (p *place) cuts(spans []storage.Span) []storage.Span {
	var own []storage.Span
	for _, s := range spans {
		if cut, ok := p.cut(s); ok {
			own = append(own, cut)
		}
	}
	return own
}

// group shows the rows of each part that has some, in their order, and where they are among rows, until
// visit says false. Rows of no part are left out.
func (l placeList) group(rows []storage.RowMutation, visit func(i int, own []storage.RowMutation, at []int) bool) {
	for i := range l {
		p := &l[i]
		var own []storage.RowMutation
		var at []int
		for k := range rows {
			if l.of(rows[k].Key) == i {
				own = append(own, storage.RowMutation{Key: p.down(rows[k].Key), Mutations: rows[k].Mutations})
				at = append(at, k)
			}
		}
		if len(own) > 0 && !visit(i, own, at) {
			return
		}
	}
}

// rename gives rows of dst, from the row from on, the keys that they have in the table.
func (p *place) rename(dst *storage.RowBatch, from int) {
	if p.Buckets > 0 {
		for i := from; i < dst.Len() && p.first > 0; i++ {
			if k := dst.Key(i); len(k) > 0 {
				k[0] += byte(p.first)
			}
		}
		return
	}
	dst.PrefixKeys(from, byte(p.first))
}

// request is what the part is asked for what req asks the table; its spans are given.
func (p *place) request(req *storage.ScanRequest, spans []storage.Span) *storage.ScanRequest {
	var own storage.ScanRequest
	if req != nil {
		own = *req
	}
	own.Spans = spans
	if filter := own.Filter; filter != nil {
		var key []byte
		own.Filter = func(k []byte, row storage.RowView) (bool, error) {
			key = p.up(key[:0], k)
			return filter(key, row)
		}
	}
	return &own
}
