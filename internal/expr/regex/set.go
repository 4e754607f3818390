package regex

import (
	"slices"
	"sync"
	"unicode"
)

// set is a set of characters: sorted, disjoint, inclusive ranges.
type set []span

type span struct{ lo, hi rune }

const maxRune = unicode.MaxRune

var (
	anyChar   = set{{0, maxRune}}
	notNL     = set{{0, '\n' - 1}, {'\n' + 1, maxRune}}
	newlineCh = set{{'\n', '\n'}}
)

// canon sorts and merges.
func (s set) canon() set {
	slices.SortFunc(s, func(a, b span) int { return int(a.lo - b.lo) })
	out := s[:0]
	for _, r := range s {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// not is the complement of a canonical set.
func (s set) not() set {
	var out set
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			out = append(out, span{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= maxRune {
		out = append(out, span{next, maxRune})
	}
	return out
}

// cased lists the characters that have another case.
var cased = sync.OnceValue(func() []rune {
	var out []rune
	for _, r := range unicode.CaseRanges {
		for c := rune(r.Lo); c <= rune(r.Hi); c++ {
			if unicode.ToLower(c) != c || unicode.ToUpper(c) != c {
				out = append(out, c)
			}
		}
	}
	return out
})

// fold adds the lower and upper case of each member of a canonical set.
func (s set) fold() set {
	out := slices.Clone(s)
	add := func(c rune) {
		if l := unicode.ToLower(c); l != c {
			out = append(out, span{l, l})
		}
		if u := unicode.ToUpper(c); u != c {
			out = append(out, span{u, u})
		}
	}
	all := cased()
	for _, r := range s {
		if r.hi-r.lo < 128 {
			for c := r.lo; c <= r.hi; c++ {
				add(c)
			}
			continue
		}
		i, _ := slices.BinarySearch(all, r.lo)
		for ; i < len(all) && all[i] <= r.hi; i++ {
			add(all[i])
		}
	}
	return out.canon()
}

func single(c rune, fold bool) set {
	s := set{{c, c}}
	if fold {
		return s.fold()
	}
	return s
}
