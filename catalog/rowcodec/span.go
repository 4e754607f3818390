package rowcodec

import (
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// Range is an interval of one key column's values in SQL order (NULLs are in
// none; NaN is the largest float). A nil bound is open.
type Range struct {
	Lo, Hi         *types.Datum
	LoIncl, HiIncl bool
}

// TupleBound bounds the row (Columns…) by Values lexically in SQL order:
// Op is "<", "<=", ">" or ">=".
type TupleBound struct {
	Columns []int // key columns, ascending, without holes
	Op      string
	Values  []types.Datum
}

// Conj is a conjunction of constraints on key columns. The zero Conj is true.
type Conj struct {
	// Columns[i] lists the ranges key column i may lie in, in any order and
	// possibly overlapping; nil leaves the column free, an empty non-nil list
	// is a contradiction. The slice may be shorter than the key.
	Columns [][]Range
	Tuples  []TupleBound
}

// What SpanOptions.MaxSpans is by default.
const (
	DefaultMaxPoints = 10_000
	DefaultMaxSpans  = 1_000
)

// SpanOptions bound the work of Spans.
type SpanOptions struct {
	// MaxSpans caps the logical spans (and the points) made; over it
	// neighbours are joined and Exact is false. 0 means DefaultMaxPoints where
	// every disjunct binds the full key to values, DefaultMaxSpans else.
	MaxSpans int
	// NoPrune keeps every bucket (rules off).
	NoPrune bool
}

// SpanSet is what must be read to find every row that satisfies a disjunction
// of Conjs.
type SpanSet struct {
	// Points: all that can match are these full physical keys (with salt),
	// sorted, distinct. Buckets is then empty.
	Points [][]byte
	// AllPoints says that Points is the whole answer.
	AllPoints bool
	// Buckets lists, ascending, the salt buckets to read and the physical spans
	// (with salt; sorted, disjoint, not touching) in each. An unsalted
	// table has one entry with Bucket -1.
	Buckets []BucketSpans
	// Exact says that every row inside the spans satisfies the disjunction, so that it
	// need not be evaluated again.
	Exact bool
	// NotPruned says, for EXPLAIN, why every bucket of a salted table must be
	// read ("ts is not bound"); "" if some were pruned or there is no salt.
	NotPruned string
	// LogicalSpans counts the distinct spans before salting.
	LogicalSpans int
}

// BucketSpans is what to read in one salt bucket.
type BucketSpans struct {
	Bucket int
	Spans  []storage.Span
}

// Empty says that no row can match: no storage call is needed.
func (s *SpanSet) Empty() bool {
	return len(s.Points) == 0 && len(s.Buckets) == 0
}
