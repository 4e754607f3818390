package heat

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// What relations get in each minute, kept for Keep beside the counters, which only grow.
//
//	at each minute's end: what the shards have, less what they had --> a Minute of each relation that was used
//
// Minutes take what memory the counters leave, and half of it at most. Where there is no more, the
// relations that are used least have none: what is counted of them stays exact, in one sum.

// Keep is how long the minutes of a relation are kept.
const Keep = 3 * time.Hour

// Minute is what a relation got in a minute, or in several where the server was held up. Servers of
// different versions tell each other by these names.
type Minute struct {
	At     time.Time // when it begins
	Length int       // how many minutes
	Data   []byte    // see appendCounts
	Keys   []byte    `json:",omitempty"` // see appendPieces
}

// bytes is what the minute takes, with its share of what the list has room for, and what the data's
// blocks are larger than it.
func (m *Minute) bytes() int64 { return 112 + int64(len(m.Data)) + int64(len(m.Keys)) }

// withMinute appends to a list, which has room for an eighth more than it has at most: what is not
// booked must be little.
func withMinute(list []Minute, m Minute) []Minute {
	if len(list) == cap(list) {
		list = append(make([]Minute, 0, len(list)+len(list)/8+1), list...)
	}
	return append(list, m)
}

// fields are the counters in the order of their bits in a Minute: new ones come last.
func (c *Counts) fields() [8]*int64 {
	return [8]*int64{&c.Hits, &c.Misses, &c.Scans, &c.RowsRead, &c.RowsReturned, &c.BytesRead, &c.RowsWritten, &c.BytesWritten}
}

// Less is c without what o has counted.
func (c *Counts) Less(o *Counts) Counts {
	d := *c
	for i, f := range o.fields() {
		*d.fields()[i] -= *f
	}
	return d
}

// appendCounts writes the counters of buckets that are not 0:
//
//	00            a bucket of which nothing is counted
//	41 06 d0 0f   one with 3 hits, bit 0, and 1,000 rows written, bit 6: varints
func appendCounts(dst []byte, buckets []Counts) []byte {
	for b := range buckets {
		at, bits := len(dst), byte(0)
		dst = append(dst, 0)
		for i, f := range buckets[b].fields() {
			if *f != 0 {
				bits |= 1 << i
				dst = binary.AppendVarint(dst, *f)
			}
		}
		dst[at] = bits
	}
	return dst
}

var errMinute = errors.New("heat: the counts of a minute are cut off")

// Counts gives the counters of the relation's buckets.
func (m *Minute) Counts(buckets int) ([]Counts, error) {
	out, rest := make([]Counts, buckets), m.Data
	for b := range out {
		if len(rest) == 0 {
			return nil, errMinute
		}
		bits := rest[0]
		rest = rest[1:]
		for i, f := range out[b].fields() {
			if bits>>i&1 == 0 {
				continue
			}
			v, n := binary.Varint(rest)
			if n <= 0 {
				return nil, errMinute
			}
			*f, rest = v, rest[n:]
		}
	}
	return out, nil
}

// Run ends minutes, and takes what is sampled, until ctx does. It sleeps while nothing is.
func (h *Heat) Run(ctx context.Context) {
	for busy := false; h != nil; {
		now := h.now()
		wait, first := max(now.Truncate(time.Minute).Add(time.Minute).Sub(now), time.Second), h.ring.first
		if busy { // a second's samples are taken together
			wait, first = min(wait, time.Second), nil
		}
		next := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			next.Stop()
			return
		case <-first:
			next.Stop()
			busy = true
			continue
		case <-h.ring.half:
			next.Stop()
		case <-next.C:
			busy = h.tick()
		}
		h.mu.Lock()
		h.roll()
		h.mu.Unlock()
	}
}

// roll ends the open minute where the clock has left it; with the lock held.
func (h *Heat) roll() {
	h.drain()
	now := h.now().Truncate(time.Minute)
	if now.Equal(h.minute) {
		return
	}
	// A clock that was set back ends the minute too.
	length, before := max(1, int(now.Sub(h.minute)/time.Minute)), now.Add(-Keep)
	for _, r := range h.relations {
		r.roll(length)
		r.forget(before)
		r.rollKeys(now.Add(-KeepSamples))
	}
	if h.kept > h.most/2 {
		h.shed(h.kept - h.most/2 + h.most/16)
	}
	h.minute = now
}

// forget drops the minutes that begin before a time.
func (r *relation) forget(before time.Time) {
	r.minutes = slices.DeleteFunc(r.minutes, func(m Minute) bool {
		old := m.At.Before(before)
		if old {
			r.keep(-m.bytes())
		}
		return old
	})
}

// roll keeps what the relation got in the open minute.
func (r *relation) roll(length int) {
	h := r.heat
	first := int64(0)
	if r.last == nil {
		first = int64(r.buckets) * cellBytes
	}
	if r.shed {
		if h.kept < h.most/4 && h.used+first <= h.most {
			r.shed, r.last = false, r.sum()
			r.keep(first)
		}
		return
	}
	got, sum := r.open()
	r.use -= r.use / 16
	for b := range got {
		r.use += got[b].Reads() + got[b].Writes()
	}
	if idle(got) {
		return
	}
	m := Minute{At: h.minute, Length: length, Data: slices.Clone(appendCounts(nil, got)), Keys: r.openPieces()}
	n := first + m.bytes()
	if !h.room(n) {
		r.drop()
	}
	if r.shed { // to make room
		return
	}
	r.minutes, r.last = withMinute(r.minutes, m), sum
	r.keep(n)
}

// open is what the relation got in the minute that is not over, and all that it ever got.
func (r *relation) open() (got, sum []Counts) {
	sum = r.sum()
	if r.last == nil {
		return sum, sum
	}
	got = make([]Counts, len(sum))
	for b := range sum {
		got[b] = sum[b].Less(&r.last[b])
	}
	return got, sum
}

// keep books bytes of minutes, below 0 those that are let go of.
func (r *relation) keep(bytes int64) {
	r.kept += bytes
	r.heat.kept += bytes
	r.heat.used += bytes
}

// drop lets go of the relation's minutes, and keeps no more of it until there is much room.
func (r *relation) drop() {
	r.keep(-r.kept)
	r.minutes, r.last, r.shed = nil, nil, true
}

// room says whether there is room for so many bytes more. Where there is not, minutes give way; with
// the lock held.
func (h *Heat) room(bytes int64) bool {
	if over := h.used + bytes - h.most; over > 0 && h.held > 0 {
		h.shedKeys(over + h.most/32)
	}
	if over := h.used + bytes - h.most; over > 0 && h.kept > 0 {
		h.shed(over + h.most/16)
	}
	return h.used+bytes <= h.most
}

// shed drops minutes of so many bytes, those of the relations that are used least; with the lock held.
func (h *Heat) shed(bytes int64) {
	var list []*relation
	for _, r := range h.relations {
		if r.kept > 0 {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *relation) int { return cmp.Or(cmp.Compare(a.use, b.use), cmp.Compare(a.id, b.id)) })
	for until := h.kept - bytes; len(list) > 0 && h.kept > until; list = list[1:] {
		list[0].drop()
	}
}

// idle says that nothing is counted.
func idle(buckets []Counts) bool {
	return !slices.ContainsFunc(buckets, func(c Counts) bool { return c != Counts{} })
}

// told gives the minutes that are kept, and the open one last where it has anything; of a relation
// whose minutes were dropped nothing.
func (r *relation) told(got []Counts) []Minute {
	if r.shed {
		return nil
	}
	list := slices.Clone(r.minutes)
	if !idle(got) {
		list = append(list, Minute{At: r.heat.minute, Length: 1, Data: appendCounts(nil, got), Keys: r.openPieces()})
	}
	return list
}
