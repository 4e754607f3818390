package rowcodec

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// KeyRun counts off the keys that rows of a salted table can have in a span, in key order or
// against it, from the span's edge on:
//
//	k >= 7                          80000007, 80000008, 80000009 …
//	host = 'x' AND day <= '…-02'    'x' 00 (day 2), 'x' 00 (day 1) …     against the order
//
// No row lies between two that follow each other, so that reading them all as points reads that
// part of the span whole. The columns before the last stay as they are at the edge.
type KeyRun struct {
	s       *KeySchema
	span    storage.Span
	reverse bool
	key     []byte // the one given last, without salt; its first bytes stay as they are
	prefix  int    // how many
	width   int    // of the last column
	desc    bool   // its bytes are inverted
	down    bool   // its values fall
	next    uint64 // the bytes of the next one, as they are in ascending order
	first   uint64
	step    uint64
	over    bool // there is no next one with the prefix
	ended   bool // nor in the span
}

// Start begins a run at the edge of a logical span: at its end, if reverse. ok is false where the
// edge does not bind the columns before the last, or has no value of the last one, and where the
// last one's values cannot be counted off: it is neither a whole number nor a date, or may be NULL.
func (r *KeyRun) Start(s *KeySchema, span storage.Span, reverse bool) (ok bool) {
	c := &s.Columns[len(s.Columns)-1]
	if s.Format != nil || s.Index || c.Nullable || c.Stored != nil {
		return false
	}
	step := uint64(1)
	switch c.Type {
	case TinyInt, UnsignedTinyInt, SmallInt, UnsignedSmallInt, Integer, UnsignedInt, BigInt, UnsignedLong:
	case Date, UnsignedDate:
		if c.SQL.Kind != types.Date || s.Adopted {
			return false
		}
		step = msPerDay
	default:
		return false
	}
	edge := span.Start
	if reverse {
		edge = span.End
	}
	rest := edge
	for i := range len(s.Columns) - 1 {
		if _, rest, ok = s.nextPart(i, rest); !ok {
			return false
		}
	}
	width := c.FixedWidth()
	if len(rest) == 0 || len(rest) > width {
		return false
	}
	*r = KeyRun{s: s, span: span, reverse: reverse, key: r.key, prefix: len(edge) - len(rest), width: width,
		desc: c.Desc, down: c.Desc != reverse, step: step}
	r.key = append(r.key[:0], edge[:r.prefix]...)
	var last [8]byte // a key that is cut short lies where zeros follow
	copy(last[8-width:], rest)
	u := binary.BigEndian.Uint64(last[:])
	if reverse { // the end is not in the span
		if u == 0 {
			return false
		}
		u--
	}
	if r.desc {
		u ^= r.most()
	}
	if step > 1 { // to a midnight in the run's direction
		ms := int64(u ^ c.Type.signBit())
		day := floorDiv(ms, msPerDay)
		if day*msPerDay != ms && !r.down {
			day++
		}
		if day <= math.MinInt64/msPerDay || day >= math.MaxInt64/msPerDay {
			return false
		}
		u = uint64(day*msPerDay) ^ c.Type.signBit()
	}
	r.next, r.first = u, u
	return true
}

// most is the largest value of the last column's bytes.
func (r *KeyRun) most() uint64 { return math.MaxUint64 >> (64 - 8*r.width) }

// Next appends the next key to dst, with its salt. ok is false where there is none: see Ended.
func (r *KeyRun) Next(dst []byte) (key []byte, ok bool) {
	if r.over {
		return dst, false
	}
	u := r.next
	if r.desc {
		u ^= r.most()
	}
	r.key = appendUint(r.key[:r.prefix], u, r.width)
	if r.reverse && bytes.Compare(r.key, r.span.Start) < 0 || !r.reverse && len(r.span.End) > 0 && bytes.Compare(r.key, r.span.End) >= 0 {
		r.over, r.ended = true, true
		return dst, false
	}
	switch {
	case r.down && r.next >= r.step:
		r.next -= r.step
	case !r.down && r.most()-r.next >= r.step:
		r.next += r.step
	default:
		r.over = true
	}
	bucket, err := r.s.BucketOf(r.key)
	if err != nil { // it could not be a key
		r.over = true
		return dst, false
	}
	return r.s.salt(dst, bucket, r.key), true
}

// Ended says that the span has no key behind those given.
func (r *KeyRun) Ended() bool { return r.ended }

// Last is the logical key given last, unless the span has ended. It is good until the next one.
func (r *KeyRun) Last() []byte { return r.key }

// To is how many keys the run has up to a logical key of the span, both counted; a very large
// number where the columns before the last differ.
func (r *KeyRun) To(logical []byte) uint64 {
	if len(logical) != r.prefix+r.width || !bytes.Equal(logical[:r.prefix], r.key[:r.prefix]) {
		return math.MaxInt64
	}
	var last [8]byte
	copy(last[8-r.width:], logical[r.prefix:])
	u := binary.BigEndian.Uint64(last[:])
	if r.desc {
		u ^= r.most()
	}
	if r.down {
		return min((r.first-u)/r.step, math.MaxInt64-1) + 1
	}
	return min((u-r.first)/r.step, math.MaxInt64-1) + 1
}
