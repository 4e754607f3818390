package keyspan

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// Of gives the spans that a scan of a table by cond would read, for
// estimates; a nil cond is every row. What cond's arguments need must be in env.
func Of(t *catalog.Table, cond *plan.KeyCond, env *expr.Env) (*rowcodec.SpanSet, error) {
	return Compile(t, cond).Spans(env, false)
}

// Suffixes gives where behind the prefix of the first columns of a key (see
// rowcodec.AppendPrefix) the rows lie that satisfy cond, which says nothing of
// these columns; ok is false where that cannot be told.
func Suffixes(t *catalog.Table, cond *plan.KeyCond, from int, env *expr.Env) (spans []storage.Span, ok bool, err error) {
	return Compile(t, cond).Suffixes(env, from)
}

// Spread looks up in a table's histogram what a scan by cond would read; a nil
// cond is every row. equal is how many leading columns cond binds to values. ok
// is false where an argument cannot be evaluated.
func Spread(h *histogram.Histogram, t *catalog.Table, cond *plan.KeyCond, equal int, env *expr.Env) (s histogram.Spread, ok bool) {
	set, err := Of(t, cond, env)
	if err != nil {
		return s, false
	}
	return h.Spread(set, equal), true
}

// Part says which part of the rows of cond satisfies also, which is about key
// columns from position from on; ok is false where that cannot be told.
func Part(h *histogram.Histogram, t *catalog.Table, cond, also *plan.KeyCond, from int, env *expr.Env) (part float64, ok bool) {
	set, err := Of(t, cond, env)
	if err != nil {
		return 0, false
	}
	suffixes, ok, err := Suffixes(t, also, from, env)
	if err != nil || !ok {
		return 0, false
	}
	key := &t.Codec().Key
	var prefix []byte
	return h.Part(set, func(row []byte) bool {
		if prefix, ok = key.AppendPrefix(prefix[:0], row, from); !ok || len(prefix) > len(row) {
			return false
		}
		rest := row[len(prefix):]
		return slices.ContainsFunc(suffixes, func(s storage.Span) bool {
			return bytes.Compare(s.Start, rest) <= 0 && (len(s.End) == 0 || bytes.Compare(rest, s.End) < 0)
		})
	})
}
