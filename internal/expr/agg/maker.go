package agg

import (
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
)

// Maker is a State whose Final makes values that are about as large as what it holds.
type Maker interface {
	// Makes is about how many bytes Final takes for the groups lo..hi-1.
	Makes(lo, hi int) int64
}

func (s *collect) Makes(lo, hi int) int64 {
	if s.json == 0 {
		return 0 // the array is what is held
	}
	var n int64
	for _, vals := range s.v[lo:hi] {
		for i := range vals {
			n += madeJSON(s.json, vals[i].Bytes)
		}
	}
	return n
}

func (s *object) Makes(lo, hi int) int64 {
	var n int64
	for _, b := range s.v[lo:hi] {
		n += madeJSON(s.kind, b)
	}
	return n
}

// madeJSON is what a text takes in a result: the buffer that it grows in, and where the
// result is jsonb its values too.
func madeJSON(kind types.Kind, text []byte) int64 {
	n := 3 * int64(len(text)+2)
	if kind == types.JSONB {
		n += int64(eval.JSONNeed(text))
	}
	return n
}
