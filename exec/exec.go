package exec

import (
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/relational"
	"github.com/saltsql/saltsql/exec/scan"
	"github.com/saltsql/saltsql/exec/window"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// Build makes the operator of a node and of those below it. Nothing is read
// before Open.
func Build(n plan.Node) (op.Operator, error) {
	built, err := build(n)
	if err != nil {
		return nil, err
	}
	if _, ok := n.(*plan.Scan); ok {
		return built, nil // it counts itself, as it does where a merge or a gather runs it
	}
	return op.NewCounted(n, built), nil
}

func build(n plan.Node) (op.Operator, error) {
	switch n := n.(type) {
	case *plan.Scan:
		return scan.New(n)
	case *plan.SaltMerge:
		if n.Scan() == nil {
			return scan.NewBucketMerge(n, func() (op.Operator, error) { return Build(n.Input) })
		}
		return scan.NewMerge(n)
	case *plan.SaltGather:
		if n.Scan() == nil {
			return scan.NewBucketGather(n, func() (op.Operator, error) { return Build(n.Input) })
		}
		return scan.NewGather(n)
	case *plan.Filter:
		return over(n, n.Input, relational.NewFilter)
	case *plan.Project:
		return over(n, n.Input, relational.NewProject)
	case *plan.Limit:
		return over(n, n.Input, relational.NewLimit)
	case *plan.RowByRow:
		return over(n, n.Input, relational.NewRowByRow)
	case *plan.Sort:
		return over(n, n.Input, relational.NewSort)
	case *plan.TopN:
		return over(n, n.Input, relational.NewTopN)
	case *plan.DistinctOn:
		return over(n, n.Input, relational.NewDistinctOn)
	case *plan.Aggregate:
		return over(n, relational.AggregateInput(n), relational.NewAggregate)
	case *plan.HashJoin:
		return overTwo(n, n.Left, n.Right, join.NewHashJoin)
	case *plan.NestedLoop:
		return overTwo(n, n.Left, n.Right, join.NewNestedLoop)
	case *plan.Apply:
		return overTwo(n, n.Left, n.Right, join.NewApply)
	case *plan.MergeJoin:
		return overTwo(n, n.Left, n.Right, join.NewMergeJoin)
	case *plan.LookupJoin:
		return over(n, n.Left, join.NewLookupJoin)
	case *plan.With:
		return overTwo(n, n.Query, n.Body, relational.NewWith)
	case *plan.WithScan:
		return relational.NewWithScan(n)
	case *plan.Values:
		return relational.NewValues(n)
	case *plan.OneRow:
		return relational.NewOneRow(), nil
	case *plan.TableFunc:
		return relational.NewTableFunc(n)
	case *plan.VirtualScan:
		return scan.NewVirtual(n)
	case *plan.Append:
		parts, err := buildAll(n.Parts)
		return relational.NewAppend(parts), err
	case *plan.RecursiveUnion:
		return overTwo(n, n.Start, n.Step, relational.NewRecursiveUnion)
	case *plan.SetOp:
		return overTwo(n, n.Left, n.Right, relational.NewSetOp)
	case *plan.ProjectSet:
		return over(n, n.Input, relational.NewProjectSet)
	case *plan.Window:
		return over(n, n.Input, window.NewWindow)
	case *plan.External:
		return relational.NewExternal(n), nil
	case *plan.Lock:
		return over(n, n.Input, write.NewLock)
	case *plan.Insert:
		return over(n, n.Input, write.NewInsert)
	case *plan.Upsert:
		return over(n, n.Input, write.NewUpsert)
	case *plan.Update:
		return over(n, n.Input, write.NewUpdate)
	case *plan.Delete:
		return over(n, n.Input, write.NewDelete)
	}
	return nil, sqlerr.Internal(nil, "no operator for plan node %T", n)
}

// over makes the operator of a node with one input.
func over[N plan.Node](n N, input plan.Node, make func(N, op.Operator) (op.Operator, error)) (op.Operator, error) {
	in, err := Build(input)
	if err != nil {
		return nil, err
	}
	return make(n, in)
}

// overTwo is over for a node with two.
func overTwo[N plan.Node](n N, left, right plan.Node, make func(n N, left, right op.Operator) (op.Operator, error)) (op.Operator, error) {
	l, err := Build(left)
	if err != nil {
		return nil, err
	}
	r, err := Build(right)
	if err != nil {
		return nil, err
	}
	return make(n, l, r)
}

func buildAll(ns []plan.Node) ([]op.Operator, error) {
	ops := make([]op.Operator, len(ns))
	for i, n := range ns {
		var err error
		if ops[i], err = Build(n); err != nil {
			return nil, err
		}
	}
	return ops, nil
}
