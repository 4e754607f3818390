package join_test

import (
	"io"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/relational"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// ofParam gives those of some rows whose first key equals a parameter.
type ofParam struct {
	exectest.Batches
	all   [][]types.Datum
	param int
}

func (o *ofParam) Open(cx *op.Context) error {
	o.Rows = o.Rows[:0]
	p := cx.Env.Params[o.param-1]
	for _, r := range o.all {
		if !p.Null && !r[joinKey0].Null && types.Compare(o.Types[joinKey0], p, r[joinKey0]) == 0 {
			o.Rows = append(o.Rows, r)
		}
	}
	return o.Batches.Open(cx)
}

func TestApplyModel(t *testing.T) {
	kinds := []plan.JoinKind{plan.Inner, plan.Left, plan.Semi, plan.Anti, plan.Mark, plan.Single}
	exectest.Seeds(t, 120, func(t *testing.T, r *rand.Rand) {
		c := newJoinCase(t, r, kinds[r.IntN(len(kinds))], false)
		c.match.Keys = []plan.JoinKey{{Left: exectest.Col(joinKey0, c.types[joinKey0]), Right: exectest.Col(joinKey0, c.types[joinKey0])}}
		n := &plan.Apply{Join: plan.Join{Kind: c.kind, Left: c.columns("l"), Right: c.columns("r"), Match: plan.Match{Filter: c.match.Filter, Cond: c.match.Cond}}, Volatile: r.IntN(4) == 0, Params: []plan.ApplyParam{{N: 3, Value: exectest.Col(joinKey0, c.types[joinKey0])}}}
		left, right := &exectest.Batches{Rows: c.left, Types: c.types, Rand: r}, &ofParam{Batches: exectest.Batches{Types: c.types, Rand: r}, all: c.right, param: 3}
		op, err := join.NewApply(n, left, right)
		if err != nil {
			t.Fatal(err)
		}
		workMem := []int64{0, 1 << 10, 20 << 10}[r.IntN(3)]
		t.Log(c, "volatile", n.Volatile, "work_mem", workMem)
		for range 2 {
			right.Opens = 0
			cx := exectest.Context(t, workMem)
			cx.Env.Params = []types.Datum{types.NullDatum, types.NullDatum, types.NullDatum}
			c.check(t, op, cx, true)
			if n.Volatile && right.Opens != len(c.left) && c.kind != plan.Single {
				t.Errorf("run %d times for %d rows", right.Opens, len(c.left))
			}
			if !n.Volatile && workMem == 0 && len(c.left) > 30 && right.Opens > 20 && c.types[joinKey0] != tInt8 {
				t.Errorf("run %d times for few values", right.Opens)
			}
		}
	})
}

func TestWith(t *testing.T) {
	exectest.Seeds(t, 60, func(t *testing.T, r *rand.Rand) {
		c := newJoinCase(t, r, plan.Inner, true)
		cols := c.columns("l")
		query := &exectest.Batches{Rows: c.left, Types: c.types, Rand: r}
		scans := []op.Operator{}
		for range 3 {
			s, err := relational.NewWithScan(&plan.WithScan{ID: 7, Cols: cols.Cols})
			if err != nil {
				t.Fatal(err)
			}
			scans = append(scans, s)
		}
		body := &interleaved{scans: scans, r: r, c: c, read: make([]int, len(scans))}
		op, err := relational.NewWith(&plan.With{ID: 7, Name: "w", Query: cols, Body: &plan.WithScan{ID: 7, Cols: cols.Cols}}, query, body)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			query.Opens = 0
			body.t, body.stop = t, r.IntN(3) == 0
			cx := exectest.Context(t, []int64{0, 1 << 10, 20 << 10}[r.IntN(3)])
			if err := exectest.Run(t, op, cx, func(*vec.Batch) {}); err != nil {
				t.Fatal(err)
			}
			if query.Opens > 1 {
				t.Errorf("the query ran %d times", query.Opens)
			}
			if query.IsOpen() {
				t.Error("the query is open")
			}
		}
	})
}

// interleaved reads several WithScans in turn and checks what they give.
type interleaved struct {
	t     *testing.T
	scans []op.Operator
	read  []int
	r     *rand.Rand
	c     *joinCase
	cx    *op.Context
	stop  bool // before the end
}

func (o *interleaved) Open(cx *op.Context) error {
	o.cx = cx
	clear(o.read)
	for _, s := range o.scans {
		if err := s.Open(cx); err != nil {
			return err
		}
	}
	return nil
}

func (o *interleaved) Next() (*vec.Batch, error) {
	if o.stop && o.r.IntN(5) == 0 {
		return nil, io.EOF
	}
	for _, i := range o.r.Perm(len(o.scans)) {
		if o.r.IntN(20) == 0 { // once more
			if err := o.scans[i].Close(); err != nil {
				return nil, err
			}
			if err := o.scans[i].Open(o.cx); err != nil {
				return nil, err
			}
			o.read[i] = 0
		}
		b, err := o.scans[i].Next()
		if err == io.EOF {
			if o.read[i] != len(o.c.left) {
				o.t.Errorf("%d of %d rows", o.read[i], len(o.c.left))
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		for k := range b.Rows() {
			s := b.Row(k)
			var row []types.Datum
			for _, v := range b.Cols {
				row = append(row, v.Datum(s))
			}
			if got, want := o.c.text(row), o.c.text(o.c.left[o.read[i]]); got != want {
				o.t.Fatalf("row %d is %s, want %s", o.read[i], got, want)
			}
			o.read[i]++
		}
		return b, nil
	}
	return nil, io.EOF
}

func (o *interleaved) Close() error {
	for _, s := range o.scans {
		s.Close()
	}
	return nil
}
