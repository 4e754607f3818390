package storage

import "context"

// Sampler is a Table that tells where its rows lie at the cost of few reads.
// Whoever wants to know asks through Sample: not every table is one.
type Sampler interface {
	// Sample cuts span into contiguous pieces, at keys, so that no piece holds
	// much more than 1/most of the rows, as far as the store can tell; most is
	// at least 1, and there are at most most pieces where the store chooses
	// them itself. A store that is told pieces by its service gives those. An
	// empty span has none. Writes under way may be counted or not.
	Sample(ctx context.Context, span Span, most int) (*TableSample, error)
}

// TableSample is the answer of a Sampler, with what it cost. The work is
// bounded by the pieces asked for, not by the size of the table: at most
// MaxSampleWork(most) calls and rows. A store in memory may count.
type TableSample struct {
	Pieces []SamplePiece
	Calls  int64 // requests to the store (seeks and size estimates on an embedded store)
	Rows   int64 // rows looked at
}

// SamplePiece is one piece of a table.
type SamplePiece struct {
	Span  Span
	Rows  int64 // estimated; -1 where the store knows bytes only
	Bytes int64 // estimated, as the store counts them; -1 where unknown
}

// MaxSampleWork bounds the calls, and the rows looked at, of Sample.
func MaxSampleWork(most int) int64 { return 64*int64(most) + 8*1024 }

// Sample asks t for a sample, or where it is no Sampler for its tablets.
func Sample(ctx context.Context, t Table, span Span, most int) (*TableSample, error) {
	if s, ok := t.(Sampler); ok {
		out, err := s.Sample(ctx, span, most)
		if CodeOf(err) != CodeUnsupported {
			return out, err
		}
	}
	tablets, err := t.Tablets(ctx, span)
	if err != nil {
		return nil, err
	}
	out := &TableSample{Calls: 1, Pieces: make([]SamplePiece, len(tablets))}
	for i, tb := range tablets {
		out.Pieces[i] = SamplePiece{Span: tb.Span, Rows: -1, Bytes: tb.Bytes}
	}
	return out, nil
}

// CheckSample checks the arguments of Sample.
func CheckSample(op, table string, span Span, most int) error {
	if most < 1 {
		return Errorf(CodeInvalidArgument, op, table, "a sample of %d pieces is not at least 1", most)
	}
	return CheckSpan(op, table, span)
}
