package keyform

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/types"
)

// drawColumn draws a column that can be bound, perhaps with others behind it.
func drawColumn(r *rand.Rand) *Column {
	for {
		c := &Column{Name: "c"}
		of := []struct {
			class Class
			kind  types.Kind
		}{{Text, types.Text}, {Bytes, types.Bytea}, {Fixed, types.UUID}, {Int16, types.Int2}, {Int32, types.Int4}, {Int64, types.Int8},
			{Millis, types.Date}, {Millis, types.Timestamp}, {Micros, types.Timestamp}}[r.IntN(9)]
		c.Class, c.SQL = of.class, types.Of(of.kind)
		f := Form{Kind: []Kind{"", AsText, AsDecimal, AsHex, AsBinary}[r.IntN(5)], Width: []int{0, 0, 1, 2, 4, 8, 19}[r.IntN(7)],
			Unit: []int64{0, 1000, 1_000_000}[r.IntN(3)], Max: []int64{0, 0, 9999, math.MaxInt64}[r.IntN(4)],
			Sep: [][]byte{nil, []byte("#"), []byte("::"), {0}}[r.IntN(4)]}
		c.Desc = f.Max > 0
		if c.Bind(f, r.IntN(2) == 0) == nil {
			return c
		}
	}
}

// drawValue draws the bytes of a value of the column's class, often a small one or one at an edge.
func drawValue(r *rand.Rand, c *Column) []byte {
	n := []int64{0, 1, -1, 9, 10, 999, 9999, 10000, 1 << 31, math.MaxInt64, math.MinInt64, r.Int64(), r.Int64N(2_000_000) - 1_000_000}[r.IntN(13)]
	switch c.Class {
	case Text, Bytes:
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = "ab#:!0\x01"[r.IntN(7)]
		}
		return b
	case Fixed:
		b := make([]byte, 16)
		binary.BigEndian.PutUint64(b, uint64(n))
		return b
	case Int16:
		return binary.BigEndian.AppendUint16(nil, uint16(n)^1<<15)
	case Int32:
		return binary.BigEndian.AppendUint32(nil, uint32(n)^1<<31)
	case Millis:
		if c.SQL.Kind == types.Date {
			n = n / 86_400_000 * 86_400_000
		}
	case Micros:
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, uint64(n)^1<<63), uint32(r.IntN(1000))*1000)
	}
	return binary.BigEndian.AppendUint64(nil, uint64(n)^1<<63)
}

// TestColumn: what can be written is read as it was and found again among other bytes; keys sort
// as values do but where Unordered says otherwise; and Clip and Loose lose no value that has a key.
func TestColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	written, clipped, loose, changed := 0, 0, 0, 0
	for range 20000 {
		c := drawColumn(r)
		a, b := drawValue(r, c), drawValue(r, c)
		if bytes.Compare(a, b) > 0 {
			a, b = b, a
		}
		v := bound.Interval{Lo: bound.Cut{Bytes: a, After: r.IntN(2) == 0}, Hi: bound.Cut{Bytes: b, After: r.IntN(2) == 0}}
		if r.IntN(4) == 0 {
			v.Lo = bound.Begin
		}
		if r.IntN(4) == 0 {
			v.Hi = bound.End
		}
		w, some := c.Clip(v)
		type key struct{ asc, part []byte }
		var keys []key
		for _, asc := range [][]byte{a, b, drawValue(r, c), drawValue(r, c)} {
			part, ok := c.Append(nil, asc)
			if !ok {
				continue
			}
			written++
			back, ok := c.Decode(nil, part)
			if !ok || !bytes.Equal(back, asc) {
				t.Fatalf("%+v: %x is %q, read as %x, %t", c, asc, part, back, ok)
			}
			if len(c.Sep) > 0 || c.Width > 0 {
				whole := append(append(append([]byte{}, part...), c.Sep...), "#a:\x00"...)
				got, rest, ok := c.Next(whole)
				if !ok || !bytes.Equal(got, part) || string(rest) != "#a:\x00" {
					t.Fatalf("%+v: %q of %q, and %q behind it", c, got, whole, rest)
				}
			}
			other := bytes.Clone(part) // perhaps no value, and if it is one, written so
			if i := r.IntN(len(other) + 1); i == len(other) || r.IntN(2) == 0 {
				other = append(append(bytes.Clone(part[:i]), "0-A#"[r.IntN(4)]), part[i:]...)
			} else {
				other[i] = "0-A#"[r.IntN(4)]
			}
			if asc, ok := c.Decode(nil, other); ok && c.splits(other) {
				if again, ok := c.Append(nil, asc); !ok || !bytes.Equal(again, other) {
					t.Fatalf("%+v: %q is read as %x, which is %q", c, other, asc, again)
				}
				changed++
			}
			keys = append(keys, key{asc, append(part, c.Sep...)})
			if in := inside(v, asc); in && (!some || !inside(w, asc)) {
				t.Fatalf("%+v: %x is in %v and not in %v", c, asc, v, w)
			} else if some && !in && inside(w, asc) {
				t.Fatalf("%+v: %x is in %v and not in %v", c, asc, w, v)
			}
			clipped++
			if some && c.Unordered() && inside(w, asc) {
				full := append([]byte("p"), keys[len(keys)-1].part...)
				start, end := c.Loose([]byte("p"), w)
				if bytes.Compare(full, start) < 0 || end != nil && bytes.Compare(full, end) >= 0 {
					t.Fatalf("%+v: %q of %v is not from %q to %q", c, full, w, start, end)
				}
				loose++
			}
		}
		for _, x := range keys {
			for _, y := range keys {
				want := bytes.Compare(x.asc, y.asc)
				if c.Desc {
					want = -want
				}
				if got := bytes.Compare(x.part, y.part); got != want && !c.Unordered() && (c.Width > 0 || len(c.Sep) == 0 || c.Sep[0] == 0) {
					t.Fatalf("%+v: %x and %x compare as %d, %q and %q as %d", c, x.asc, y.asc, want, x.part, y.part, got)
				}
			}
		}
	}
	if written < 10000 || loose < 500 || changed < 5000 {
		t.Errorf("%d values written, %d clipped, %d looked for loosely, %d changed", written, clipped, loose, changed)
	}
}

func inside(v bound.Interval, asc []byte) bool {
	return v.Lo.Compare(bound.Before(asc)) <= 0 && v.Hi.Compare(bound.After(asc)) >= 0
}
