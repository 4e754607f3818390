package rowcodec

import (
	"github.com/saltsql/saltsql/catalog/rowcodec/bound"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// PrefixSpan makes the one span of the rows whose leading key columns have given values, over
// and over in the same memory: what Spans makes of that condition, for much less.
//
//	(a, b, c)   a = 7 and b = 'x'   [7 x, 7 x +1)
type PrefixSpan struct {
	schema *KeySchema
	ends   []bool // by column: keys may end behind it
	prefix []byte
	end    []byte
	hashed []byte
	spans  [1]storage.Span
	bucket [1]BucketSpans
	set    SpanSet
}

// NewPrefixSpan is for the first n columns of a key that has more; nil where Spans must find
// out more about a condition on them: what an adopted table's other encodings of a value are,
// what the parts of a foreign key look like, what epoch they are in, or which of several buckets to read.
func (s *KeySchema) NewPrefixSpan(n int) *PrefixSpan {
	if s.Adopted || s.Format != nil || s.Epochs != nil || n == 0 || n >= len(s.Columns) {
		return nil
	}
	if s.Buckets > 0 {
		for _, c := range s.hashedColumns() {
			if c >= n {
				return nil
			}
		}
		for i := range s.Columns[n:] {
			if s.Columns[n+i].Type == Boolean { // two keys may cost less than a span
				return nil
			}
		}
	}
	return &PrefixSpan{schema: s, ends: s.trimmableFrom()[1 : n+1]}
}

// Of gives the span of values, none of them NULL, of the types that the columns hold. It is nil
// where Spans must be asked, for one of them is no value of its column, and good until the next
// call. Exact is set: it is for the caller to know whether what is stored is all of a value.
func (p *PrefixSpan) Of(vals []types.Datum) *SpanSet {
	s := p.schema
	b := p.prefix[:0]
	bucket := -1
	if s.Buckets > 0 {
		var err error
		if p.hashed, err = s.appendHashedValues(p.hashed[:0], vals); err != nil {
			return nil
		}
		bucket = s.hashBucket(p.hashed)
		b = append(b, byte(bucket))
	}
	trim := len(b)
	for i, endable := range p.ends {
		c := &s.Columns[i]
		from := len(b)
		var err error
		if b, err = appendPart(b, c, vals[i]); err != nil || len(b) == from {
			p.prefix = b
			return nil
		}
		if !trimmable(c, keyPart(b[from:])) {
			trim = len(b)
		}
		if c.separated() {
			if b = appendSeparator(b, c, false); c.Desc {
				trim = len(b)
			}
		}
		if !endable {
			trim = len(b)
		}
	}
	if p.prefix = b; len(b) >= MaxKeyBytes {
		return nil
	}
	p.spans[0] = storage.Span{Start: b[:trim:trim]}
	var ends bool
	if p.end, ends = bound.AppendIncrement(p.end[:0], b); ends {
		p.spans[0].End = p.end
	}
	p.bucket[0] = BucketSpans{Bucket: bucket, Spans: p.spans[:]}
	p.set = SpanSet{Buckets: p.bucket[:], Exact: true, LogicalSpans: 1}
	return &p.set
}
