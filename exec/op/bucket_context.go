package op

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/planner/plan"
)

// Fork gives a Context for a part of the execution that runs once per salt bucket,
// perhaps on a goroutine of its own: with parameters and counters of its own, and the
// same memory, store and moment of reading. absorb ends it.
func (cx *Context) Fork(ctx context.Context) *Context {
	env := *cx.Env
	env.Ctx, env.Params = ctx, slices.Clone(env.Params)
	c := &Context{
		Ctx: ctx, Txns: cx.Txns, Txn: cx.Txn, Env: &env, Settings: cx.Settings, World: cx.World, Notice: cx.Notice, Heat: cx.Heat,
		Enter: cx.Enter, TryEnter: cx.TryEnter, Wrote: cx.Wrote, Memory: cx.Memory, Pool: cx.Pool,
		store: cx.store, storeCaps: cx.storeCaps, implicit: cx.implicit, began: cx.began, wantSnapshot: cx.wantSnapshot, parent: cx,
	}
	if cx.Actuals != nil {
		c.Actuals = &plan.Actuals{}
	}
	return c
}

// Absorb adds a fork's counts, when nothing runs in it any more.
func (cx *Context) Absorb(c *Context) {
	cx.mu.Lock()
	sum(&cx.Work, &c.Work)
	cx.mu.Unlock()
	for i := range c.buckets {
		cx.AddBuckets(c.buckets[i].node, &c.buckets[i].set)
	}
	c.Work, c.buckets = plan.Actual{}, nil
	if c.Actuals == nil {
		return
	}
	for n, from := range c.Actuals.Nodes {
		a := cx.Actual(n)
		cx.mu.Lock()
		sum(a, from)
		a.Rows += from.Rows
		a.Time = max(a.Time, from.Time) // they ran beside each other
		if a.FirstRow == 0 || from.FirstRow > 0 && from.FirstRow < a.FirstRow {
			a.FirstRow = from.FirstRow
		}
		a.PerBucket = mergeBuckets(a.PerBucket, from.PerBucket)
		cx.mu.Unlock()
	}
	c.Actuals = &plan.Actuals{}
}
