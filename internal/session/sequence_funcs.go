package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/sequence"
)

func (f sessionFuncs) NextVal(ctx context.Context, id uint32, n int) (first, step int64, got int, err error) {
	v, err := f.s.drawn.NextVal(ctx, host(f), id, n)
	return v.First, v.Step, v.Count, err
}

func (f sessionFuncs) NextBlock(ctx context.Context, id uint32, n int) (first int64, err error) {
	v, err := f.s.drawn.NextBlock(ctx, host(f), id, n)
	return v.First, err
}

func (f sessionFuncs) RowIDs(n int) (first, step int64) { return f.s.db.rowIDs.Take(n) }

func (f sessionFuncs) CurrVal(id uint32) (int64, error) { return f.s.drawn.CurrVal(host(f), id) }
func (f sessionFuncs) LastVal() (int64, error)          { return f.s.drawn.LastVal(host(f)) }

func (f sessionFuncs) SetVal(ctx context.Context, id uint32, value int64, called bool) error {
	return f.s.drawn.SetVal(ctx, host(f), id, value, called)
}

func (f sessionFuncs) SequenceState(ctx context.Context, id uint32) (last int64, called bool, err error) {
	return sequence.State(ctx, host(f), id)
}

func (f sessionFuncs) SerialSequence(table, column string) (string, error) {
	r, err := f.s.relation(table)
	if err != nil {
		return "", err
	}
	return sequence.Serial(host(f), r, column)
}
