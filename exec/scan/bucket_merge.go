package scan

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/losertree"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// bucketMerge runs an operator for each salt bucket, all at once, and merges what they
// give by keys that they are sorted by.
//
//	bucket 0  rows | rows …
//	bucket 1  rows |  …        loser tree over sort keys --> the winner's row is copied
type bucketMerge struct {
	n      *plan.SaltMerge
	cx     *op.Context
	cancel context.CancelFunc
	begun  bool
	runs   []*mergedRun
	keys   []losertree.Run
	tree   losertree.Tree
	out    *vec.Batch
}

// mergedRun is one bucket's rows.
type mergedRun struct {
	bucketRun
	keys *spill.Keys
	b    *vec.Batch
	at   int
	key  []byte
}

func NewBucketMerge(n *plan.SaltMerge, build func() (op.Operator, error)) (op.Operator, error) {
	buckets, err := bucketsOf(n.Input)
	if err != nil {
		return nil, err
	}
	m := &bucketMerge{n: n, keys: make([]losertree.Run, buckets), out: vec.NewBatch(op.TypesOf(n))}
	for range buckets {
		r := &mergedRun{}
		if r.op, err = build(); err != nil {
			return nil, err
		}
		if r.keys, err = spill.NewSortKeys(n.Keys); err != nil {
			return nil, err
		}
		m.runs = append(m.runs, r)
	}
	return m, nil
}

func (m *bucketMerge) Open(cx *op.Context) error {
	m.cx, m.begun = cx, false
	var ctx context.Context
	ctx, m.cancel = context.WithCancel(cx.Ctx)
	for i, r := range m.runs {
		r.cx = cx.Fork(ctx)
		r.cx.Bucket, r.cx.Settings.Fanout = i+1, 1
		r.b = nil
		m.keys[i] = losertree.Run{}
		if err := r.op.Open(r.cx); err != nil {
			return err
		}
	}
	return nil
}

// advance goes to a run's next row.
func (m *bucketMerge) advance(i int) error {
	r := m.runs[i]
	r.at++
	if r.b == nil || r.at >= r.b.Rows() {
		b, err := r.op.Next()
		if err == io.EOF {
			m.keys[i].Done, r.b = true, nil
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.keys.EvalAll(r.cx.Env, b); err != nil {
			return err
		}
		r.b, r.at = b, 0
	}
	r.key = r.keys.Append(r.key[:0], r.b.Row(r.at))
	m.keys[i].Set(r.key)
	return nil
}

func (m *bucketMerge) Next() (*vec.Batch, error) {
	if !m.begun {
		m.begun = true
		for i := range m.runs {
			if err := m.advance(i); err != nil {
				return nil, err
			}
		}
		m.tree.Reset(m.keys, false)
	}
	if err := m.cx.Canceled(); err != nil {
		return nil, err
	}
	for _, v := range m.out.Cols {
		v.Resize(vec.MaxRows)
		v.EmptyBuf()
	}
	n, size := 0, 0
	for n < vec.MaxRows && size < spill.MostWide {
		w, done := m.tree.Winner()
		if done {
			break
		}
		r := m.runs[w]
		slot := r.b.Row(r.at)
		for c, v := range m.out.Cols {
			vec.CopySlot(v, n, r.b.Cols[c], slot)
		}
		size += spill.RowWidth(r.b.Cols, slot)
		n++
		if err := m.advance(w); err != nil {
			return nil, err
		}
		m.tree.Replay()
	}
	if n == 0 {
		return nil, io.EOF
	}
	m.out.N, m.out.Sel = n, nil
	return m.out, nil
}

func (m *bucketMerge) Close() error {
	if m.cx == nil {
		return nil
	}
	m.cancel()
	var err error
	for _, r := range m.runs {
		err = closeRun(m.cx, &r.bucketRun, err)
		r.b = nil
	}
	m.cx = nil
	return err
}
