package pebble

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Rows of a bin are sorted by digits, which compares no keys: by the first ones until few rows
// are left together, then by the others, last digit first.
//
//	key     80 00 00 07 80 00 00 00 00 0f 42 40     n = 7, k = 1000000
//	varies         ^  ^                 ^  ^  ^     in some row of the bin
//	prefix  00 07 0f 42 40 00 00 00                 those bytes, the first eight at most
//
// What all keys have in common decides nothing, so the prefix is often the whole order. Rows
// of equal prefixes are sorted by what follows. A key that has ended goes on with zeros: a
// key that it is the beginning of is not before it, and where that leaves two equal, all of
// both is compared.

const (
	// digitRows is from how many rows on digits are cheaper than comparing.
	digitRows = 512
	// digitWindow is how much of the keys is looked at for bytes that vary.
	digitWindow = 64
	// cacheRows are rows that a processor's second cache holds twice.
	cacheRows = 4096
)

// sortByDigits sorts rows of one bin, which are equal before byte `from` of the key behind its
// first byte, by so many goroutines. It leaves rows of one key in the order they came in. spare is
// as long as rows.
func (r *loadRun) sortByDigits(rows, spare []loadRow, from, goroutines int) {
	if len(rows) < digitRows {
		slices.SortStableFunc(rows, func(a, b loadRow) int { return r.compareKeys(&a, &b) })
		return
	}
	var at []int
	for {
		var longest int
		if at, longest = r.varying(rows, from, goroutines); len(at) > 0 {
			break
		}
		if from += digitWindow; from >= longest {
			// All are equal, but for zeros at their ends.
			slices.SortStableFunc(rows, func(a, b loadRow) int { return r.compareKeys(&a, &b) })
			return
		}
	}
	inShares(goroutines, len(rows), func(_, lo, hi int) { r.setPrefixes(rows[lo:hi], at) })
	ranges := splitByPrefix(nil, rows, spare, prefixRange{hi: len(rows)}, len(at), goroutines)
	err := inParallel(goroutines, len(ranges), func(i int) error {
		v := ranges[i]
		r.sortRange(rows[v.lo:v.hi], spare[v.lo:v.hi], at, v.digit)
		return nil
	})
	if err != nil {
		panic(err) // as there was one
	}
}

// inShares has goroutines do a share of n rows each, from lo on and before hi; where they are
// few, one does all.
func inShares(goroutines, n int, do func(share, lo, hi int)) {
	if n < goroutines*cacheRows {
		goroutines = 1
	}
	err := inParallel(goroutines, goroutines, func(i int) error {
		do(i, i*n/goroutines, (i+1)*n/goroutines)
		return nil
	})
	if err != nil {
		panic(err) // as there was one
	}
}

// sortRange sorts rows whose prefixes are made of the bytes at these places, the first `digit` of
// which are the same in all of them.
func (r *loadRun) sortRange(rows, spare []loadRow, at []int, digit int) {
	sortByPrefix(rows, spare, digit, len(at))
	for lo := 0; lo < len(rows); {
		hi := lo + 1
		for hi < len(rows) && rows[hi].prefix == rows[lo].prefix {
			hi++
		}
		if hi-lo > 1 {
			p := rows[lo].prefix
			r.sortByDigits(rows[lo:hi], spare[lo:hi], at[len(at)-1]+1, 1)
			for i := lo; i < hi; i++ {
				rows[i].prefix = p // so that those of a bin can be compared
			}
		}
		lo = hi
	}
}

// varying gives the places, from `from` on, of the first bytes in which the keys of rows differ, and
// the length of the longest key.
func (r *loadRun) varying(rows []loadRow, from, goroutines int) (at []int, longest int) {
	type seen struct {
		diff    [digitWindow / 8]uint64
		longest int
	}
	first := r.digitsOf(&rows[0])
	var of [digitWindow / 8]uint64
	for w := range of {
		of[w] = wordAt(first, from+8*w)
	}
	shares := make([]seen, goroutines)
	inShares(goroutines, len(rows), func(share, lo, hi int) {
		var s seen
		for i := lo; i < hi; i++ {
			key := r.digitsOf(&rows[i])
			s.longest = max(s.longest, len(key))
			for w := range (min(max(s.longest-from, 0), digitWindow) + 7) / 8 {
				s.diff[w] |= wordAt(key, from+8*w) ^ of[w]
			}
		}
		shares[share] = s
	})
	var diff [digitWindow / 8]uint64
	for i := range shares {
		longest = max(longest, shares[i].longest)
		for w := range diff {
			diff[w] |= shares[i].diff[w]
		}
	}
	for w, d := range diff {
		for d != 0 && len(at) < 8 {
			k := bits.LeadingZeros64(d) / 8
			at = append(at, 8*w+k)
			d &^= 0xff << (56 - 8*k)
		}
	}
	for i := range at {
		at[i] += from
	}
	return at, longest
}

// setPrefixes makes the prefix of each row of the bytes of its key at these places.
func (r *loadRun) setPrefixes(rows []loadRow, at []int) {
	last := at[len(at)-1]
	dense := last-at[0] == len(at)-1
	for i := range rows {
		key := r.digitsOf(&rows[i])
		var p uint64
		switch {
		case dense:
			p = wordAt(key, at[0])
			p &= ^uint64(0) << (64 - 8*len(at))
		case len(key) > last:
			for k, a := range at {
				p |= uint64(key[a]) << (56 - 8*k)
			}
		default:
			for k, a := range at {
				if a < len(key) {
					p |= uint64(key[a]) << (56 - 8*k)
				}
			}
		}
		rows[i].prefix = p
	}
}

// prefixRange is where rows are whose prefixes begin with the same bytes, so many.
type prefixRange struct{ lo, hi, digit int }

// splitByPrefix moves the rows of a range to ranges that a processor's cache holds, as far as
// their prefixes of n bytes differ, and appends those, in order. Rows of one digit keep their
// order: each goroutine's come behind those of the ones before.
func splitByPrefix(ranges []prefixRange, rows, spare []loadRow, v prefixRange, n, goroutines int) []prefixRange {
	if v.hi-v.lo <= cacheRows || v.digit == n {
		return append(ranges, v)
	}
	shift := 56 - 8*v.digit
	next := make([][256]int, goroutines)
	inShares(goroutines, v.hi-v.lo, func(share, lo, hi int) {
		counts := &next[share]
		for i := v.lo + lo; i < v.lo+hi; i++ {
			counts[byte(rows[i].prefix>>shift)]++
		}
	})
	var counts [256]int
	sum := v.lo
	for d := range counts {
		for share := range next {
			k := next[share][d]
			next[share][d] = sum
			sum, counts[d] = sum+k, counts[d]+k
		}
	}
	if slices.Max(counts[:]) < v.hi-v.lo {
		inShares(goroutines, v.hi-v.lo, func(share, lo, hi int) {
			next := &next[share]
			for i := v.lo + lo; i < v.lo+hi; i++ {
				d := byte(rows[i].prefix >> shift)
				spare[next[d]] = rows[i]
				next[d]++
			}
		})
		inShares(goroutines, v.hi-v.lo, func(_, lo, hi int) { copy(rows[v.lo+lo:v.lo+hi], spare[v.lo+lo:v.lo+hi]) })
	}
	lo := v.lo
	for _, k := range counts {
		if k > 0 {
			ranges = splitByPrefix(ranges, rows, spare, prefixRange{lo, lo + k, v.digit + 1}, n, goroutines)
			lo += k
		}
	}
	return ranges
}

// sortByPrefix sorts rows by the bytes of their prefixes from one on and before another.
func sortByPrefix(rows, spare []loadRow, digit, n int) {
	var counts [8][256]uint32
	for i := range rows {
		p := rows[i].prefix
		for k := digit; k < n; k++ {
			counts[k][byte(p>>(56-8*k))]++
		}
	}
	from, to := rows, spare
	for k := n - 1; k >= digit; k-- {
		next, sum := &counts[k], uint32(0)
		for d := range next {
			next[d], sum = sum, sum+next[d]
		}
		shift := 56 - 8*k
		for i := range from {
			d := byte(from[i].prefix >> shift)
			to[next[d]] = from[i]
			next[d]++
		}
		from, to = to, from
	}
	if (n-digit)%2 == 1 {
		copy(rows, spare)
	}
}

// digitsOf is the key of a row behind its first byte, which is the bin's.
func (r *loadRun) digitsOf(w *loadRow) []byte { return r.keyOf(w)[prefixLen+1:] }

// wordAt reads eight bytes of a key, and zeros behind its end.
func wordAt(key []byte, at int) uint64 {
	if at+8 <= len(key) {
		return binary.BigEndian.Uint64(key[at:])
	}
	var p uint64
	for i := at; i < len(key); i++ {
		p |= uint64(key[i]) << (56 - 8*(i-at))
	}
	return p
}
