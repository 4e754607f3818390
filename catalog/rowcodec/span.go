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
	// Null is NULL itself, and nothing else: the bounds are not looked at. Only a
	// Nullable column has it; there a text or bytea of no bytes reads as NULL too.
	Null bool
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

// How much one condition may make be read by. What is over a bound is read by
// fewer, wider spans, and Exact is false.
const (
	// DefaultMaxPoints is up to how many full keys are listed.
	DefaultMaxPoints = 100_000
	// DefaultMaxWanted is how many spans, before they are salted, the rows of a
	// condition are told apart by. More are not made: lists of values are joined first.
	DefaultMaxWanted = 10_000
	// DefaultMaxSpans is how many spans one bucket is read by, and DefaultMaxScans how
	// many all buckets together (spans x buckets): see SpansPerBucket.
	DefaultMaxSpans = 1_000
	DefaultMaxScans = 16_384
)

// SpansPerBucket is by how many spans each bucket is read at most where so many are:
// 1,000 of up to 16 buckets, 64 of 256. A seek costs as much as some fifty rows read on.
func SpansPerBucket(buckets int) int {
	return min(DefaultMaxSpans, DefaultMaxScans/max(buckets, 1))
}

// SpanOptions bound the work of Spans.
type SpanOptions struct {
	// MaxSpans, over 0, caps the points and the spans of one bucket in place of the
	// defaults.
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
	// Wanted, where neighbours were joined because there were too many, are the spans
	// as they were, without salt: sorted, disjoint. No row outside them satisfies the
	// disjunction, so that a reader may seek from one to the next. Else nil.
	Wanted []storage.Span
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
