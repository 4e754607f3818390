package spliced

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/storage"
)

type table struct {
	name   string
	places placeList
	parts  []storage.Table
	seeks  bool // Caps.Seeks
}

var _ storage.Table = (*table)(nil)

func newTable(s storage.Store, name string, parts []Part) *table {
	t := &table{name: name, places: places(parts), parts: make([]storage.Table, len(parts)), seeks: s.Caps().Seeks}
	for i, p := range parts {
		t.parts[i] = s.Table(p.Table)
	}
	return t
}

// noPart is about a key that no row of a table can have.
func noPart(op, name string, key []byte) error {
	return storage.Errorf(storage.CodeInvalidArgument, op, name, "row key %x is in no part of the table", key)
}

// at is the place and the table of a key: an argument fault where it has none.
func (t *table) at(op string, key []byte) (*place, storage.Table, error) {
	i := t.places.of(key)
	if i < 0 {
		return nil, nil, noPart(op, t.name, key)
	}
	return &t.places[i], t.parts[i], nil
}

func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (calls int, err error) {
	if err := storage.CheckKeys(storage.OpMultiGet, t.name, keys); err != nil {
		return 0, err
	}
	was := dst.Len()
	for i := range t.places {
		p := &t.places[i]
		var own [][]byte
		for len(keys) > 0 && (len(keys[0]) == 0 || int(keys[0][0]) < p.first+p.Places()) {
			if len(keys[0]) > 0 {
				own = append(own, p.down(keys[0]))
			}
			keys = keys[1:]
		}
		if len(own) == 0 {
			continue
		}
		var asked *storage.ScanRequest
		if req != nil {
			asked = p.request(req, nil)
		}
		from := dst.Len()
		n, err := t.parts[i].MultiGet(ctx, own, asked, dst)
		calls += n
		if err != nil {
			dst.Truncate(was)
			return calls, err
		}
		p.rename(dst, from)
	}
	return calls, nil
}

func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	if err := storage.CheckRows(storage.OpMutate, t.name, rows); err != nil {
		return err
	}
	for i := range rows {
		if _, _, err := t.at(storage.OpMutate, rows[i].Key); err != nil {
			return err
		}
	}
	answer := partial{all: true}
	t.places.group(rows, func(i int, own []storage.RowMutation, at []int) bool {
		answer.add(len(own), at, t.parts[i].Mutate(ctx, own, opts))
		return true
	})
	return answer.err()
}

func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	if err := storage.CheckCond(storage.OpCheckAndMutate, t.name, m); err != nil {
		return false, err
	}
	p, part, err := t.at(storage.OpCheckAndMutate, m.Key)
	if err != nil {
		return false, err
	}
	own := *m
	own.Key = p.down(m.Key)
	return part.CheckAndMutate(ctx, &own)
}

func (t *table) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	p, part, err := t.at(storage.OpIncrement, key)
	if err != nil {
		return 0, err
	}
	return part.Increment(ctx, p.down(key), col, delta)
}

func (t *table) Clock(ctx context.Context, key []byte, col storage.Col) (time.Time, error) {
	p, part, err := t.at(storage.OpClock, key)
	if err != nil {
		return time.Time{}, err
	}
	return part.Clock(ctx, p.down(key), col)
}

func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	if err := storage.CheckSpan(storage.OpDeleteSpan, t.name, span); err != nil {
		return err
	}
	for i := range t.places {
		if own, ok := t.places[i].cut(span); ok {
			if err := t.parts[i].DeleteSpan(ctx, own); err != nil {
				return err
			}
		}
	}
	return nil
}
