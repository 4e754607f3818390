package regex

import (
	"slices"
	"unicode/utf8"
)

// alphabet divides all characters into classes that no set of an expression
// tells apart; the DFA steps by class.
type alphabet struct {
	ascii  [utf8.RuneSelf]uint16
	starts []rune // of runs of one class, sorted
	runs   []uint16
	size   int      // number of classes
	around []beside // by class: what assertions must know of a character
}

// beside is what an assertion sees of a neighbouring character.
type beside uint8

const (
	besideOther beside = iota
	besideWord
	besideNewline
	besideEdge // none: start or end of the text
)

// end is the symbol after the last character.
func (a *alphabet) end() int { return a.size }

func (a *alphabet) of(c rune) int {
	if c < utf8.RuneSelf {
		return int(a.ascii[c])
	}
	i, found := slices.BinarySearch(a.starts, c)
	if !found {
		i--
	}
	return int(a.runs[i])
}

// newAlphabet gives the alphabet and, by set, the classes in it as bits.
func newAlphabet(sets []set, asserts bool) (*alphabet, [][]uint64) {
	if asserts {
		// Appended last, and not returned.
		sets = append(slices.Clone(sets), newlineCh, class("word"))
	}
	bounds := []rune{0}
	for _, s := range sets {
		for _, r := range s {
			bounds = append(bounds, r.lo, r.hi+1)
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	a := &alphabet{}
	words := (len(sets) + 63) / 64
	classes := map[string]uint16{}
	sig := make([]byte, words*8)
	next := make([]int, len(sets))
	var members [][]byte
	for _, lo := range bounds {
		if lo > maxRune {
			break
		}
		clear(sig)
		for i, s := range sets {
			for next[i] < len(s) && s[next[i]].hi < lo {
				next[i]++
			}
			if next[i] < len(s) && s[next[i]].lo <= lo {
				sig[i/8] |= 1 << (i % 8)
			}
		}
		c, ok := classes[string(sig)]
		if !ok {
			c = uint16(len(classes))
			classes[string(sig)] = c
			members = append(members, slices.Clone(sig))
		}
		if n := len(a.runs); n == 0 || a.runs[n-1] != c {
			a.starts = append(a.starts, lo)
			a.runs = append(a.runs, c)
		}
	}
	a.size = len(members)
	for c := range a.ascii {
		i, found := slices.BinarySearch(a.starts, rune(c))
		if !found {
			i--
		}
		a.ascii[c] = a.runs[i]
	}
	bits := make([][]uint64, len(sets))
	for i := range sets {
		bits[i] = make([]uint64, (a.size+63)/64)
		for c, m := range members {
			if m[i/8]&(1<<(i%8)) != 0 {
				bits[i][c/64] |= 1 << (c % 64)
			}
		}
	}
	a.around = make([]beside, a.size+1)
	a.around[a.size] = besideEdge
	if asserts {
		n := len(sets) - 2
		for c := range a.size {
			switch {
			case bits[n][c/64]&(1<<(c%64)) != 0:
				a.around[c] = besideNewline
			case bits[n+1][c/64]&(1<<(c%64)) != 0:
				a.around[c] = besideWord
			}
		}
		bits = bits[:n]
	}
	return a, bits
}
