package mem

import (
	"context"

	"github.com/saltsql/saltsql/storage"
)

// Sample implements storage.Table: it counts.
func (t *table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	const op = storage.OpSample
	if err := t.s.check(ctx, op, t.name); err != nil {
		return nil, err
	}
	if err := storage.CheckSample(op, t.name, span, most); err != nil {
		return nil, err
	}
	view, err := t.s.view(op, t.name, nil)
	if err != nil {
		return nil, err
	}
	each := func(fn func(r *row)) {
		view.rows.AscendGreaterOrEqual(&row{key: string(span.Start)}, func(r *row) bool {
			if len(span.End) > 0 && r.key >= string(span.End) {
				return false
			}
			fn(r)
			return true
		})
	}
	var total int64
	each(func(*row) { total++ })
	size := max((total+int64(most)-1)/int64(most), 1)
	out := &storage.TableSample{Calls: 1, Rows: total}
	if len(span.End) > 0 && string(span.Start) == string(span.End) {
		return out, nil
	}
	piece := storage.SamplePiece{Span: span}
	each(func(r *row) {
		if piece.Rows == size {
			key := []byte(r.key)
			piece.Span.End = key
			out.Pieces = append(out.Pieces, piece)
			piece = storage.SamplePiece{Span: storage.Span{Start: key, End: span.End}}
		}
		piece.Rows++
		piece.Bytes += r.bytes()
	})
	out.Pieces = append(out.Pieces, piece)
	return out, nil
}

// Split implements storage.Table.
func (t *table) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	sample, err := t.Sample(ctx, span, most)
	if err != nil {
		return nil, err
	}
	pieces := []storage.Span{span}
	for i, p := range sample.Pieces {
		if i > 0 {
			pieces[i-1].End = p.Span.Start
			pieces = append(pieces, p.Span)
		}
	}
	return pieces, nil
}
