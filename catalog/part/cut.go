package part

import (
	"bytes"
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

//saltsql:limit statements: parts that saltsql.parts cuts a table into (54000)
const MaxParts = 10_000

// Part is some of a table's rows.
type Part struct {
	Spans  []storage.Span // of physical keys: one, but for several buckets of a format that are not neighbours
	Bucket int            // whose rows they are; -1 is several, or a table without salt
	Rows   int64          // about; -1 is not known
	Bytes  int64          // as the store counts them, about; -1 is not known
}

// From and To are the part's first key, and the first one after it; nil is no bound.
func (p *Part) From() []byte { return p.Spans[0].Start }
func (p *Part) To() []byte   { return p.Spans[len(p.Spans)-1].End }

// Cut gives the n parts of a table, or fewer where the store cannot tell so many apart, of about as many
// rows each. Each is of one bucket, or of whole buckets where there are no more parts than buckets. Together
// they hold every key once. st is the table's storage, of which few rows are read: see storage.Table.Sample.
// 22023 for less than one part, 54000 for more than MaxParts.
func Cut(ctx context.Context, st storage.Table, t *catalog.Table, n int64) ([]Part, error) {
	switch {
	case n < 1:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "a table cannot be cut into %d parts", n).WithHint("Ask for 1 at least.")
	case n > MaxParts:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "a table cannot be cut into %d parts, of at most %d", n, MaxParts).
			WithHint("Ask for as many parts as readers run at once, or a few times as many.")
	}
	key := &t.Codec().Key
	buckets := make([][]Part, max(key.Buckets, 1))
	whole := make([]Part, len(buckets))
	for b := range buckets {
		span := key.BucketSpan(b)
		most := 1
		if int(n) > len(buckets) {
			most = 2 * (int(n) + len(buckets) - 1) / len(buckets)
		}
		s, err := st.Sample(ctx, span, most)
		if err != nil {
			return nil, err
		}
		if buckets[b] = pieces(span, s.Pieces); key.Buckets > 0 {
			for i := range buckets[b] {
				buckets[b][i].Bucket = b
			}
		}
		whole[b] = join(buckets[b])
	}
	if int(n) <= len(buckets) {
		return divide(whole, int(n)), nil
	}
	var out []Part
	for b, n := range shares(whole, int(n)) {
		out = append(out, divide(buckets[b], n)...)
	}
	return out, nil
}

// pieces are a sample's, made to cover span whatever the store says of its edges.
func pieces(span storage.Span, sample []storage.SamplePiece) []Part {
	out := []Part{{Spans: []storage.Span{clone(span)}, Bucket: -1}}
	for i, s := range sample {
		last := &out[len(out)-1]
		if cut := s.Span.Start; i > 0 && bytes.Compare(cut, last.Spans[0].Start) > 0 && (len(span.End) == 0 || bytes.Compare(cut, span.End) < 0) {
			rest := storage.Span{Start: bytes.Clone(cut), End: last.Spans[0].End}
			last.Spans[0].End = rest.Start
			out = append(out, Part{Spans: []storage.Span{rest}, Bucket: -1})
			last = &out[len(out)-1]
		}
		last.Rows, last.Bytes = sum(last.Rows, s.Rows), sum(last.Bytes, s.Bytes)
	}
	return out
}

// sum is of two numbers, of which less than 0 is not known.
func sum(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// join makes neighbours one part.
func join(list []Part) Part {
	out := list[0]
	out.Spans = append([]storage.Span(nil), out.Spans...)
	for i := range list[1:] {
		p := &list[1+i]
		out.Spans = append(out.Spans, p.Spans...)
		out.Rows, out.Bytes = sum(out.Rows, p.Rows), sum(out.Bytes, p.Bytes)
		if p.Bucket != out.Bucket {
			out.Bucket = -1
		}
	}
	out.Spans = rowcodec.JoinSpans(out.Spans)
	return out
}

// weight is what a part costs a reader: its rows or, where a store knows bytes only, those.
func (p *Part) weight() int64 {
	if p.Rows >= 0 {
		return p.Rows + 1
	}
	return max(p.Bytes, 0) + 1
}

func weights(list []Part) (sum int64) {
	for i := range list {
		sum += list[i].weight()
	}
	return sum
}

// divide joins neighbours of a list until there are n parts of about one weight, or as many as the list has.
func divide(list []Part, n int) []Part {
	var out []Part
	n = min(n, len(list))
	left := weights(list)
	for ; n > 0; n-- {
		take, w := 1, list[0].weight()
		for len(list)-take > n-1 { // one at least is left for each of the others
			next := list[take].weight()
			if n > 1 && w+next/2 > left/int64(n) {
				break
			}
			take, w = take+1, w+next
		}
		out = append(out, join(list[:take]))
		list, left = list[take:], left-w
	}
	return out
}

// shares says into how many of n parts each bucket is cut: by its weight, and one at least. There are not
// fewer parts than buckets.
func shares(buckets []Part, n int) []int {
	out := make([]int, len(buckets))
	spare, left := n-len(buckets), weights(buckets)
	for i := range buckets {
		w := buckets[i].weight()
		more := int((float64(spare)*float64(w))/float64(max(left, 1)) + 0.5)
		more = min(more, spare)
		out[i] = 1 + more
		spare, left = spare-more, left-w
	}
	return out
}
