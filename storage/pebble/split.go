package pebble

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
)

// Split implements storage.Table. It halves the key space between the first and the last
// row of the largest piece until there are enough, or where most of its rows are in memory
// takes the middle of the keys sampled there (recentRows):
//
//	a ······················ z     40 MB
//	a ···· m | n ··········· z     25 | 15
//	a · c | f · m | n ······ z     each from a row to a row, so that gaps go
func (t *table) Split(ctx context.Context, span storage.Span, most int) (pieces []storage.Span, err error) {
	const op = storage.OpTablets
	if err := storage.CheckSample(op, t.name, span, most); err != nil {
		return nil, err
	}
	ts, err := t.enter(ctx, op)
	if err != nil {
		return nil, err
	}
	defer t.s.exit()
	lo, hi := ts.bounds(nil, nil, span)
	if string(lo) >= string(hi) {
		return []storage.Span{span}, nil
	}
	it, err := t.s.newIter(ctx, op, t.name, &pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return nil, wrap(op, t.name, err)
	}
	defer func() { err = errors.Join(err, wrap(op, t.name, it.Close())) }()
	all := rowRange{}
	all.recent, all.each = t.s.recentKeys(ts, lo, hi)
	all.each *= recentBytes
	if it.First() {
		all.first = bytes.Clone(it.Key())
	}
	if it.Last() {
		all.last = bytes.Clone(it.Key())
	}
	if all.first == nil || all.last == nil {
		return []storage.Span{span}, wrap(op, t.name, it.Error())
	}
	list := []*rowRange{&all}
	for len(list) < most {
		r := slices.MaxFunc(list, compareSizes)
		if r.one() {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, storage.CtxError(op, t.name, err)
		}
		upper, err := t.s.halve(it, r)
		if err != nil {
			return nil, wrap(op, t.name, err)
		}
		if upper == nil { // rows that were there are gone
			break
		}
		list = append(list, upper)
	}
	slices.SortFunc(list, func(a, b *rowRange) int { return bytes.Compare(a.first, b.first) })
	pieces = make([]storage.Span, len(list))
	for i := range list {
		pieces[i] = span
		if i > 0 {
			pieces[i].Start = bytes.Clone(list[i].first[prefixLen:])
			pieces[i-1].End = pieces[i].Start
		}
	}
	return pieces, nil
}

// recentBytes is what a row in memory is taken for: it is not known.
const recentBytes = 100

// rowRange reaches from a row to a row, both included.
type rowRange struct {
	first, last []byte
	disk        float64  // bytes, where it is a half
	recent      []string // keys of rows in memory, each of which stands for some
	each        float64  // bytes
	halved      int      // how often
}

func (r *rowRange) one() bool       { return bytes.Equal(r.first, r.last) }
func (r *rowRange) memory() float64 { return float64(len(r.recent)) * r.each }

// compareSizes puts last what is to be halved next.
func compareSizes(a, b *rowRange) int {
	switch {
	case a.one() && !b.one():
		return -1
	case b.one() && !a.one():
		return 1
	}
	return cmp.Or(cmp.Compare(a.disk+a.memory(), b.disk+b.memory()), cmp.Compare(b.halved, a.halved))
}

// halve cuts the upper half off r and gives it; nil where a half has no rows any more.
func (s *Store) halve(it *pebble.Iterator, r *rowRange) (*rowRange, error) {
	mid := between(r.first, r.last)
	if n := len(r.recent); n > 1 && r.memory() > r.disk {
		if k := []byte(r.recent[n/2]); bytes.Compare(k, r.first) > 0 && bytes.Compare(k, r.last) <= 0 {
			mid = k
		}
	}
	upper := &rowRange{last: r.last, each: r.each}
	if it.SeekGE(mid) {
		upper.first = bytes.Clone(it.Key())
	}
	var last []byte
	if it.SeekLT(mid) {
		last = bytes.Clone(it.Key())
	}
	if upper.first == nil || last == nil || bytes.Compare(last, r.first) < 0 || bytes.Compare(upper.first, r.last) > 0 {
		return nil, it.Error()
	}
	r.last = last
	r.halved++
	upper.halved = r.halved
	at := sort.SearchStrings(r.recent, string(upper.first))
	r.recent, upper.recent = r.recent[:at], r.recent[at:]
	for _, half := range []*rowRange{r, upper} {
		n, err := s.db.EstimateDiskUsage(half.first, append(bytes.Clone(half.last), 0))
		if err != nil {
			return nil, err
		}
		half.disk = float64(n)
	}
	return upper, nil
}
