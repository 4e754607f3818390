package heat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Where in the key space the operations of a minute were, by its samples:
//
//	bucket 0:  a…  c…  c17…  x…      a piece begins at each key, and ends where the next one does
//	bucket 1:  b…  c…  m…            or with the bucket
//
// Pieces have about as many samples each, and a key is in one piece, so a key that gets much has one of
// its own. A reader spreads the counters of a bucket over ranges of keys that it chooses, by the
// pieces' shares of each kind: sums stay what the counters say, whatever the ranges are.

// minutePieces is how many pieces a minute has, about.
const minutePieces = 128

// Piece is a range of keys of a bucket, and what its samples stand for.
type Piece struct {
	Bucket  int
	Key     []byte // where it begins
	Cut     bool   // as Sample's
	Unknown bool   // it is somewhere in the bucket: keys that were not read, or are not kept
	Samples int
	Ops     [kinds]int64
}

// piecesOf puts together samples, which are in the order of buckets and keys.
func piecesOf(list []Sample) (out []Piece) {
	weights := [kinds]float64{}
	most := max(1, len(list)/minutePieces)
	end := func() {
		if len(out) > 0 {
			for k, w := range weights {
				out[len(out)-1].Ops[k] = int64(math.Round(w))
			}
		}
		weights = [kinds]float64{}
	}
	for i := range list {
		s := &list[i]
		unknown := s.Cut && len(s.Key) == 0
		if p := len(out) - 1; p < 0 || out[p].Bucket != s.Bucket || out[p].Unknown != unknown || out[p].Samples >= most && !bytes.Equal(s.Key, list[i-1].Key) {
			end()
			out = append(out, Piece{Bucket: s.Bucket, Key: s.Key, Cut: s.Cut, Unknown: unknown})
		}
		out[len(out)-1].Samples++
		weights[s.Kind] += s.Weight
	}
	end()
	return out
}

// appendPieces writes pieces:
//
//	02             the bucket
//	03 01 37       the key begins with 3 bytes of the key before, 1 more is 37
//	09 05 d0 0f    operations of the kinds of bits 0 and 3: uvarints; bit 6 is Unknown, bit 7 is Cut
//	06             samples, a uvarint
func appendPieces(dst []byte, list []Piece) []byte {
	var last []byte
	for i := range list {
		p := &list[i]
		same := sharedPrefix(last, p.Key)
		last = p.Key
		dst = append(append(dst, byte(p.Bucket), byte(same), byte(len(p.Key)-same)), p.Key[same:]...)
		at, bits := len(dst), byte(0)
		dst = append(dst, 0)
		for k, n := range p.Ops {
			if n != 0 {
				bits |= 1 << k
				dst = binary.AppendUvarint(dst, uint64(n))
			}
		}
		if p.Unknown {
			bits |= 0x40
		}
		if p.Cut {
			bits |= 0x80
		}
		dst[at] = bits
		dst = binary.AppendUvarint(dst, uint64(p.Samples))
	}
	return dst
}

func sharedPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

var errPieces = errors.New("heat: the keys of a minute are damaged")

// Pieces gives where the minute's operations were, by bucket and key: nothing where no keys are kept.
func (m *Minute) Pieces() (out []Piece, err error) {
	var last []byte
	for rest := m.Keys; len(rest) > 0; {
		if len(rest) < 3 {
			return nil, errPieces
		}
		p, same, n := Piece{Bucket: int(rest[0])}, int(rest[1]), int(rest[2])
		if rest = rest[3:]; same > len(last) || same+n > KeyBytes || len(rest) < n+1 {
			return nil, errPieces
		}
		p.Key = append(last[:same:same], rest[:n]...)
		last = p.Key
		bits := rest[n]
		rest = rest[n+1:]
		number := func() int64 {
			v, n := binary.Uvarint(rest)
			if n <= 0 || v > math.MaxInt64 {
				err = errPieces
				return 0
			}
			rest = rest[n:]
			return int64(v)
		}
		for k := range p.Ops {
			if bits>>k&1 != 0 {
				p.Ops[k] = number()
			}
		}
		p.Samples = int(min(number(), math.MaxInt32))
		p.Unknown, p.Cut = bits&0x40 != 0, bits&0x80 != 0
		if err != nil || bits>>kinds&3 != 0 {
			return nil, errPieces
		}
		out = append(out, p)
	}
	return out, nil
}

// Ranges are ranges of keys: each begins at a bound, and ends where the next one does. The first also
// has what is before it.
type Ranges struct {
	Bounds [][]byte
	Cut    []bool // of bounds, as Sample's
}

// Bound is a key at which a range may begin, and how much lies from there to the next.
type Bound struct {
	Key  []byte
	Cut  bool
	Mass float64
}

// RangesOf cuts the keys of bounds into n ranges at most of about the same mass, and puts bounds in order.
func RangesOf(bounds []Bound, n int) (r Ranges) {
	slices.SortFunc(bounds, func(a, b Bound) int { return bytes.Compare(a.Key, b.Key) })
	total := 0.0
	for i := range bounds {
		total += bounds[i].Mass
	}
	sum := 0.0
	for i := range bounds {
		b := &bounds[i]
		if i == 0 || sum >= total*float64(len(r.Bounds))/float64(n) && !bytes.Equal(b.Key, bounds[i-1].Key) {
			r.Bounds, r.Cut = append(r.Bounds, b.Key), append(r.Cut, b.Cut)
		}
		sum += b.Mass
	}
	return r
}

// Find says in which range a key is.
func (r *Ranges) Find(key []byte) int {
	i, there := slices.BinarySearchFunc(r.Bounds, key, bytes.Compare)
	if !there {
		i--
	}
	return max(i, 0)
}

// Ranged is what a bucket got in a range of keys.
type Ranged struct {
	Counts
	Samples int
}

// Spread spreads what a bucket got over ranges, by pieces, of which other buckets' are left out. The
// last has what is of no known range. They add up to c.
func (r *Ranges) Spread(c *Counts, bucket int, pieces []Piece) []Ranged {
	out := make([]Ranged, len(r.Bounds)+1)
	ops := make([][kinds]float64, len(out))
	for i := range pieces {
		p := &pieces[i]
		if p.Bucket != bucket {
			continue
		}
		at := len(r.Bounds)
		if !p.Unknown && at > 0 {
			at = r.Find(p.Key)
		}
		out[at].Samples += p.Samples
		for k, n := range p.Ops {
			ops[at][k] += float64(n)
		}
	}
	share := func(n int64, of func(i int) float64, to func(c *Counts) *int64) {
		total := 0.0
		for i := range out {
			total += of(i)
		}
		if total == 0 {
			*to(&out[len(out)-1].Counts) += n
			return
		}
		sum, given := 0.0, int64(0)
		for i := range out {
			sum += of(i)
			upTo := n
			if sum < total {
				upTo = int64(math.Round(float64(n) * (sum / total)))
			}
			*to(&out[i].Counts) += upTo - given
			given = upTo
		}
	}
	kind := func(k Kind) func(i int) float64 { return func(i int) float64 { return ops[i][k] } }
	share(c.Hits, kind(Point), func(c *Counts) *int64 { return &c.Hits })
	share(c.Hits+c.Misses, kind(Point), func(c *Counts) *int64 { return &c.Misses })
	share(c.Scans, kind(Scan), func(c *Counts) *int64 { return &c.Scans })
	for i := range out {
		out[i].Misses -= out[i].Hits
		out[i].RowsRead = out[i].Hits
	}
	share(c.RowsRead-c.Hits, kind(Row), func(c *Counts) *int64 { return &c.RowsRead })
	read := make([]float64, len(out))
	for i := range out {
		read[i] = float64(max(out[i].RowsRead, 0))
	}
	rows := func(i int) float64 { return read[i] }
	share(c.RowsReturned, rows, func(c *Counts) *int64 { return &c.RowsReturned })
	share(c.BytesRead, rows, func(c *Counts) *int64 { return &c.BytesRead })
	share(c.RowsWritten, kind(Write), func(c *Counts) *int64 { return &c.RowsWritten })
	share(c.BytesWritten, kind(Write), func(c *Counts) *int64 { return &c.BytesWritten })
	return out
}
