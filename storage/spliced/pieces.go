package spliced

import (
	"context"

	"github.com/saltsql/saltsql/storage"
)

// pieces shows the parts that span touches with their own spans, and hang gives the spans of a part's
// answer their places in the table: the first begins where span or the part does, the last ends there.
func (t *table) pieces(span storage.Span, visit func(i int, own storage.Span, hang func([]*storage.Span)) error) error {
	var touched []int
	for i := range t.places {
		if _, ok := t.places[i].cut(span); ok {
			touched = append(touched, i)
		}
	}
	for n, i := range touched {
		p := &t.places[i]
		own, _ := p.cut(span)
		whole := span
		if n > 0 {
			whole.Start = p.start()
		}
		if n < len(touched)-1 {
			whole.End = t.places[touched[n+1]].start()
		}
		err := visit(i, own, func(list []*storage.Span) {
			for k, s := range list {
				start, end := whole.Start, whole.End
				if k > 0 {
					start = p.up(nil, s.Start)
				}
				if k < len(list)-1 {
					end = p.up(nil, s.End)
				}
				s.Start, s.End = start, end
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	if err := storage.CheckSpan(storage.OpTablets, t.name, span); err != nil {
		return nil, err
	}
	var out []storage.Tablet
	err := t.pieces(span, func(i int, own storage.Span, hang func([]*storage.Span)) error {
		list, err := t.parts[i].Tablets(ctx, own)
		hang(pointers(list, func(x *storage.Tablet) *storage.Span { return &x.Span }))
		out = append(out, list...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (t *table) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	if most < 1 {
		return nil, storage.Errorf(storage.CodeInvalidArgument, storage.OpTablets, t.name, "%d pieces are not at least 1", most)
	}
	if err := storage.CheckSpan(storage.OpTablets, t.name, span); err != nil {
		return nil, err
	}
	var all []storage.Tablet
	err := t.pieces(span, func(i int, own storage.Span, hang func([]*storage.Span)) error {
		list, err := t.parts[i].Split(ctx, own, most)
		hang(pointers(list, func(x *storage.Span) *storage.Span { return x }))
		for _, s := range list {
			all = append(all, storage.Tablet{Span: s})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return storage.SplitTablets(span, all, most), nil
}

func (t *table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	if err := storage.CheckSample(storage.OpSample, t.name, span, most); err != nil {
		return nil, err
	}
	sum := &storage.TableSample{}
	err := t.pieces(span, func(i int, own storage.Span, hang func([]*storage.Span)) error {
		s, err := t.parts[i].Sample(ctx, own, most)
		if err != nil {
			return err
		}
		hang(pointers(s.Pieces, func(x *storage.SamplePiece) *storage.Span { return &x.Span }))
		sum.Pieces = append(sum.Pieces, s.Pieces...)
		sum.Calls, sum.Rows = sum.Calls+s.Calls, sum.Rows+s.Rows
		return nil
	})
	if err != nil {
		return nil, err
	}
	sum.Pieces = join(sum.Pieces, most)
	return sum, nil
}

// join makes at most most pieces of more, of about as many rows, or bytes where those are not known.
func join(pieces []storage.SamplePiece, most int) []storage.SamplePiece {
	if len(pieces) <= most {
		return pieces
	}
	weight := func(p *storage.SamplePiece) int64 {
		if p.Rows >= 0 {
			return p.Rows
		}
		return max(p.Bytes, 0)
	}
	total := int64(0)
	for i := range pieces {
		total += weight(&pieces[i])
	}
	var out []storage.SamplePiece
	done := int64(0)
	for i := range pieces {
		p := pieces[i]
		if n := len(out); n > 0 && (n == most || done*int64(most) < total*int64(n)) {
			last := &out[n-1]
			last.Span.End, last.Rows, last.Bytes = p.Span.End, plus(last.Rows, p.Rows), plus(last.Bytes, p.Bytes)
		} else {
			out = append(out, p)
		}
		done += weight(&p)
	}
	return out
}

// plus adds two numbers of which -1 is not known.
func plus(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

func pointers[T any](list []T, span func(*T) *storage.Span) []*storage.Span {
	out := make([]*storage.Span, len(list))
	for i := range list {
		out[i] = span(&list[i])
	}
	return out
}
