package transact

import (
	"bytes"
	"context"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// hooks is a store whose calls a test steps into: on is asked in place of each, and makes it by do,
// now, later, or never. It may be asked by many goroutines at once. made is told of each conditional
// write that was made and matched.
type hooks struct {
	storage.Store
	on   func(kind string, do func() error) error
	made func(kind string, m *storage.CondMutation)
}

// kindOf says what a conditional write is for.
func kindOf(table string, m *storage.CondMutation) string {
	first, last := &m.Then[0], &m.Then[len(m.Then)-1]
	switch {
	case table == RecordTable && bytes.Equal(m.Key, timeKey):
		return "set time"
	case table == RecordTable && first.Op == storage.DeleteRow:
		return "forget"
	case table == RecordTable && first.Family == statusFamily && first.Value[0] == byte(committed):
		return "commit"
	case table == RecordTable && first.Family == statusFamily:
		return "abort"
	case table == RecordTable:
		return "push"
	case m.Cond.Op == storage.Untouched:
		return "lock"
	case last.Op == storage.DeleteFamily && len(m.Then) == 1:
		return "unlock"
	case last.Op == storage.DeleteFamily:
		return "write"
	case first.Latest:
		return "convert"
	}
	return "push alone"
}

func (h *hooks) Table(name string) storage.Table { return &hookTable{h.Store.Table(name), h, name} }

type hookTable struct {
	storage.Table
	h    *hooks
	name string
}

func (t *hookTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (matched bool, err error) {
	own := *m // the caller's may be another by the time that a call is made which was held back
	own.Key, own.Then = bytes.Clone(m.Key), slices.Clone(m.Then)
	for i := range own.Then {
		own.Then[i].Value = bytes.Clone(own.Then[i].Value)
	}
	var ok bool
	err = t.h.on(kindOf(t.name, m), func() (err error) {
		ok, err = t.Table.CheckAndMutate(context.WithoutCancel(ctx), &own)
		if ok && err == nil && t.h.made != nil {
			t.h.made(kindOf(t.name, m), &own)
		}
		return err
	})
	return err == nil && ok, err
}

func (t *hookTable) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (sum int64, err error) {
	var got int64
	err = t.h.on("increment", func() (err error) {
		got, err = t.Table.Increment(context.WithoutCancel(ctx), key, col, delta)
		return err
	})
	if err != nil {
		return 0, err
	}
	return got, nil
}

func (t *hookTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (calls int, err error) {
	kind := "get"
	if t.name == RecordTable {
		kind = "get record"
	}
	var rb storage.RowBatch
	err = t.h.on(kind, func() (err error) {
		rb.Reset()
		calls, err = t.Table.MultiGet(ctx, keys, req, &rb)
		return err
	})
	if err == nil {
		for i := range rb.Len() {
			dst.AppendRow(&rb, i)
		}
	}
	return calls, err
}

func (t *hookTable) Scan(ctx context.Context, req *storage.ScanRequest) (sc storage.Scanner, err error) {
	err = t.h.on("scan", func() (err error) {
		sc, err = t.Table.Scan(ctx, req)
		return err
	})
	return sc, err
}
