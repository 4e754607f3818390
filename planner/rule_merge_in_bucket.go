package planner

import (
	"slices"

	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// mergeInBucket has a join that is run by bucket merge its sides, where the order in which a
// bucket's rows come, that of the row key, is one of what they are joined by: nothing is hashed,
// and nothing kept but the rows of one key.
//
//	Hash Join on a.k = b.k         Merge Join on a.k = b.k
//	├─ Scan a, key (k)       ->    ├─ Scan a, forward
//	└─ Scan b, key (k)             └─ Scan b, forward
//
// Not where the values of the side that a hash join keeps may be few enough to narrow what is
// read of the other, which is then cheaper than to read it whole.
func mergeInBucket(ctx *Context, n plan.Node) plan.Node {
	j, ok := n.(*plan.HashJoin)
	if !ok {
		return nil
	}
	if _, byBucket := saltedJoin(j.Kind, j.Left, j.Right); !byBucket {
		return nil
	}
	if len(j.Reduce) > 0 && mayNarrow(ctx, j) {
		return nil
	}
	out := &plan.MergeJoin{Join: plan.Join{Kind: j.Kind, Left: j.Left, Right: j.Right, Match: plan.Match{Filter: j.Filter, Cond: j.Cond}, MarkName: j.MarkName}}
	var left, right keyorder.Ordering
	for rest := slices.Clone(j.Keys); len(rest) > 0; {
		at, desc := nextSorted(out, &left, &right, rest)
		if at < 0 {
			return nil
		}
		out.Keys, out.Desc = append(out.Keys, rest[at]), append(out.Desc, desc)
		rest = slices.Delete(rest, at, at+1)
	}
	for _, r := range j.Reduce {
		out.Left, out.Right = withoutReduction(out.Left, r.Param), withoutReduction(out.Right, r.Param)
	}
	out.Left, out.Right = bucketInOrder(out.Left, left), bucketInOrder(out.Right, right)
	return out
}

// mayNarrow says that the rows that a join keeps may be few enough for their keys to be read of
// the other side. How many pass a filter is a guess: then they may.
func mayNarrow(ctx *Context, j *plan.HashJoin) bool {
	build, probe := j.Right, j.Left
	if j.BuildLeft {
		build, probe = probe, build
	}
	costs := estimate.Costing{By: ctx.Known()}
	rows := costs.Node(build).Rows()
	return rows <= maxReduced && (filters(build) || rows*costs.GetCost() < costs.Node(probe).Rows())
}

// filters says that rows which are read are dropped again.
func filters(n plan.Node) bool {
	if s, ok := n.(*plan.Scan); ok {
		return s.Filter != nil
	}
	_, ok := n.(*plan.Filter)
	return ok || slices.ContainsFunc(n.Inputs(), filters)
}

// nextSorted finds a key that both sides of a join are sorted by next, and adds it to their
// orders; -1 if there is none.
func nextSorted(j *plan.MergeJoin, left, right *keyorder.Ordering, keys []plan.JoinKey) (at int, desc bool) {
	for i, k := range keys {
		for _, desc := range []bool{false, true} {
			if k.Unknown {
				continue
			}
			l, r := *left, *right
			l.Keys = append(slices.Clip(l.Keys), plan.SortKey{Expr: k.Left, Desc: desc, NullsFirst: desc})
			r.Keys = append(slices.Clip(r.Keys), plan.SortKey{Expr: k.Right, Desc: desc, NullsFirst: desc})
			if bucketInOrder(j.Left, l) != nil && bucketInOrder(j.Right, r) != nil {
				*left, *right = l, r
				return i, desc
			}
		}
	}
	return -1, false
}

// bucketInOrder gives what is run by bucket with its rows in an order; nil if the row key does
// not serve it.
func bucketInOrder(n plan.Node, want keyorder.Ordering) plan.Node {
	in := keyorder.InOrder(n, want)
	if in == nil {
		return nil
	}
	in = walk.Rewrite(in, func(n plan.Node) plan.Node {
		if m, ok := n.(*plan.SaltMerge); ok {
			return m.Input // a bucket has nothing to be merged with
		}
		return n
	})
	if _, byBucket := saltedNode(in); !byBucket {
		return nil
	}
	return in
}

// withoutReduction has scans not be narrowed by the other side of a join.
func withoutReduction(n plan.Node, param int) plan.Node {
	return walk.Rewrite(n, func(n plan.Node) plan.Node {
		if s, ok := n.(*plan.Scan); ok && s.Reduced != nil && s.Reduced.Param == param {
			c := *s
			c.Reduced = nil
			return &c
		}
		return n
	})
}
