package join_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// joinsOf makes every join operator over two sides, sorted by their first key.
func joinsOf(t testing.TB, c *joinCase, left, right op.Operator) []op.Operator {
	var ops []op.Operator
	add := func(op op.Operator, err error) {
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, op)
	}
	l, r := c.columns("l"), c.columns("r")
	add(join.NewHashJoin(&plan.HashJoin{Join: plan.Join{Kind: c.kind, Left: l, Right: r, Match: c.match}}, left, right))
	add(join.NewHashJoin(&plan.HashJoin{Join: plan.Join{Kind: c.kind, Left: l, Right: r, Match: c.match}, BuildLeft: true}, left, right))
	add(join.NewMergeJoin(&plan.MergeJoin{Join: plan.Join{Kind: c.kind, Left: l, Right: r, Match: c.match}, Desc: []bool{false}}, left, right))
	loop := plan.Match{Filter: exectest.Op("=", exectest.Col(joinKey0, tInt8), exectest.Col(joinCols+joinKey0, tInt8))}
	add(join.NewNestedLoop(&plan.NestedLoop{Join: plan.Join{Kind: c.kind, Left: l, Right: r, Match: loop}}, left, right))
	return ops
}

// sidesOf makes a case of two sides of n rows, each key on k rows.
func sidesOf(n, k int) *joinCase {
	c := &joinCase{types: []types.T{tInt8, tInt8, tInt8, tInt8, tText}}
	for i := range n {
		c.left = append(c.left, []types.Datum{types.NewInt(int64(i)), types.NewInt(int64(i / k)), types.NewInt(1), types.NewInt(2), types.NewText("some text")})
	}
	c.right = c.left
	c.match.Keys = []plan.JoinKey{{Left: exectest.Col(joinKey0, tInt8), Right: exectest.Col(joinKey0, tInt8)}}
	return c
}

// TestJoinsEnd: canceled, failing or closed at any moment a join leaves no file and no
// byte.
func TestJoinsEnd(t *testing.T) {
	failure := errors.New("the input failed")
	exectest.Seeds(t, 40, func(t *testing.T, r *rand.Rand) {
		c := sidesOf(3000, 1+r.IntN(20))
		c.kind = allKinds[r.IntN(len(allKinds))]
		left, right := &exectest.Batches{Rows: c.left, Types: c.types, Rand: r}, &exectest.Batches{Rows: c.right, Types: c.types, Rand: r}
		switch r.IntN(4) {
		case 0:
			left.Fail = failure
		case 1:
			right.Fail = failure
		}
		for _, op := range joinsOf(t, c, left, right) {
			cx := exectest.Context(t, []int64{0, 10 << 10, 100 << 10}[r.IntN(3)])
			ctx, cancel := context.WithCancel(context.Background())
			cx.Ctx = ctx
			stopAt := r.IntN(20)
			ending := r.IntN(3)
			n := 0
			end := &endsAt{Operator: op, stop: func() bool {
				n++
				if n >= stopAt && ending == 0 {
					cancel()
				}
				return n >= stopAt && ending == 1
			}}
			_ = exectest.Run(t, end, cx, func(*vec.Batch) {}) // in whatever way it ends
			cancel()
			if left.IsOpen() || right.IsOpen() {
				t.Errorf("%T leaves an input open", op)
			}
		}
	})
}

// endsAt ends before its operator does.
type endsAt struct {
	op.Operator
	stop func() bool
}

func (e *endsAt) Next() (*vec.Batch, error) {
	if e.stop() {
		return nil, io.EOF
	}
	return e.Operator.Next()
}

// repeated gives one batch again and again, its first two columns counting on.
type repeated struct {
	b     *vec.Batch
	n, at int
	every int // rows of one key
}

func (o *repeated) Open(*op.Context) error { o.at = 0; return nil }
func (o *repeated) Close() error           { return nil }
func (o *repeated) Next() (*vec.Batch, error) {
	if o.at == o.n {
		return nil, io.EOF
	}
	for i := range vec.MaxRows {
		o.b.Cols[joinID].Ints[i] = int64(o.at*vec.MaxRows + i)
		o.b.Cols[joinKey0].Ints[i] = int64((o.at*vec.MaxRows + i) / o.every)
	}
	o.at++
	o.b.N, o.b.Sel = vec.MaxRows, nil
	return o.b, nil
}

func newRepeated(n, every int) *repeated {
	b := vec.NewBatch([]types.T{tInt8, tInt8, tInt8, tInt8, tText})
	for _, v := range b.Cols {
		v.Resize(vec.MaxRows)
		for i := range vec.MaxRows {
			if v.Type == tText {
				v.Bytes[i] = []byte("some text")
			} else {
				v.Ints[i] = 1
			}
		}
	}
	return &repeated{b: b, n: n, every: every}
}

// TestJoinsAllocatePerBlock: joins allocate by the block of rows kept, and not by row.
func TestJoinsAllocatePerBlock(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	const batches = 100 // a side
	for _, kind := range []plan.JoinKind{plan.Inner, plan.Full, plan.Semi, plan.Mark} {
		c := sidesOf(0, 1)
		c.kind = kind
		left, right := newRepeated(batches, 1), newRepeated(batches, 1)
		ops := joinsOf(t, c, left, right)
		for i, op := range ops[:3] {
			cx := exectest.Context(t, 0)
			rows := 0
			allocs := alloctest.PerRun(1, func() {
				rows = 0
				if err := op.Open(cx); err != nil {
					t.Fatal(err)
				}
				for {
					b, err := op.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					rows += b.Rows()
				}
				if err := op.Close(); err != nil {
					t.Fatal(err)
				}
			})
			if rows != batches*vec.MaxRows {
				t.Fatalf("%d rows", rows)
			}
			if most := 60.0 * batches; allocs > most {
				t.Errorf("%v, %T (%d): %.0f allocations for %d rows a side", kind, op, i, allocs, batches*vec.MaxRows)
			}
			t.Log(kind, i, allocs)
		}
	}
}
