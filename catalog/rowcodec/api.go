package rowcodec

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

var errPending = sqlerr.Internal(nil, "rowcodec: not built")

// Spans gives what must be read to find every row that satisfies one of
// conjs. No conjs at all means no row; one zero Conj means every row.
func (s *KeySchema) Spans(conjs []Conj, opt SpanOptions) (*SpanSet, error) { return nil, errPending }

// PrefixRange gives the values that begin with prefix, for LIKE 'p%' on text
// and bytea. An empty prefix is every value.
func PrefixRange(prefix []byte) Range { return Range{} }

// Resume cuts sorted spans to what follows the physical key last, exclusive,
// in scan direction.
func Resume(spans []storage.Span, last []byte, reverse bool) []storage.Span { return nil }

// ResumeBuckets cuts every bucket to what follows a logical key.
func (s *KeySchema) ResumeBuckets(b []BucketSpans, logical []byte, reverse bool) []BucketSpans {
	return nil
}

// Describe writes the set for EXPLAIN and tests, bytes in hex.
func (s *SpanSet) Describe() string { return "" }
