package explain

import (
	"fmt"
	"time"

	"github.com/saltsql/saltsql/planner/plan"
)

// Options say what EXPLAIN prints.
type Options struct {
	Analyze bool
	Verbose bool // costs, what the buckets did, and the columns of each node
	JSON    bool
	YAML    bool
	Timing  bool // print times; with Analyze it is on unless told
	Summary bool // print planning and execution time
	NoRows  bool // do not print estimates: COSTS off
	// Estimates, where set, are the rows that nodes are thought to give.
	Estimates *Estimates
	// HideVolatile prints times, bytes and page sizes as <hidden>, for golden files.
	HideVolatile bool
}

// Estimates are guesses of the planner; a node of which nothing is known is not in Rows. Costs
// are in the time that it takes to read one row of a scan.
type Estimates struct {
	Rows  map[plan.Node]int64
	Costs map[plan.Node]Cost
}

// Cost is what a node costs, with all below it, until its first row and to its last.
type Cost struct{ Start, Total float64 }

// Description is what EXPLAIN shows of a node: `Name on Object Alias`, and below it a line for
// each attribute.
type Description struct {
	Name   string // "Salt Merge"
	Object string // "metrics", may be empty
	Alias  string // what the statement calls it, if something else
	Attrs  []Attr
}

// Attr is one attribute of a node: `Key: Value (Note)`. No two of a node have one key.
type Attr struct {
	Key   string
	Value string
	Note  string // may be empty
	List  bool   // Value is a list, which may go on in the next line
}

// Lines prints a plan: one line per element, or all of the JSON or YAML in one. a is
// nil unless the plan was run.
func Lines(p *plan.Plan, o Options, a *plan.Actuals) []string {
	root := describeTree(p.Root, &o, a)
	if o.Verbose {
		root.output = names(p.Columns)
	}
	switch {
	case o.JSON:
		return []string{explainJSON(root, &o, a)}
	case o.YAML:
		return []string{explainYAML(root, &o, a)}
	}
	var w textWriter
	w.node(root, 0)
	if o.Summary && a != nil {
		w.lines = append(w.lines, "Planning Time: "+o.duration(a.Planning)+" ms")
		if o.Analyze {
			w.lines = append(w.lines, "Execution Time: "+o.duration(a.Execution)+" ms")
		}
	}
	return w.lines
}

// explained is the tree that both printers print.
type explained struct {
	Description
	rows    int64 // estimated; -1 is not known
	cost    *Cost // nil is not to be told
	output  []string
	actual  []Attr // nil: not analyzed
	never   bool   // analyzed, and never executed
	buckets []bucketLine
	inputs  []*explained
}

type bucketLine struct {
	bucket int
	attrs  []Attr
}

func describeTree(n plan.Node, o *Options, a *plan.Actuals) *explained {
	e := &explained{Description: Describe(n), rows: -1}
	if o.Estimates != nil && !o.NoRows {
		if rows, ok := o.Estimates.Rows[n]; ok {
			e.rows = rows
		}
		if cost, ok := o.Estimates.Costs[n]; ok && o.Verbose {
			e.cost = &cost
		}
	}
	if o.Verbose {
		e.output = names(n.Columns())
	}
	if o.Analyze {
		if act := a.Of(n); act != nil {
			e.actual = actualAttrs(act, o)
			if o.Verbose {
				for i := range act.PerBucket {
					b := &act.PerBucket[i]
					e.buckets = append(e.buckets, bucketLine{b.Bucket, bucketAttrs(b, o)})
				}
			}
		} else {
			e.never = true
		}
	}
	for _, in := range n.Inputs() {
		e.inputs = append(e.inputs, describeTree(in, o, a))
	}
	return e
}

func actualAttrs(a *plan.Actual, o *Options) []Attr {
	as := attrs("rows", fmt.Sprint(a.Rows))
	as = appendCount(as, "rows written", a.RowsWritten)
	as = appendCount(as, "storage calls", a.StorageCalls)
	if a.StorageCalls > 0 {
		as = append(as, attrs("rows read", fmt.Sprint(a.RowsRead), "bytes", o.volatile(fmt.Sprint(a.BytesRead)))...)
	} else {
		as = appendCount(as, "rows read", a.RowsRead) // computed, of a virtual relation
	}
	if a.Rows > 0 && a.RowsRead > a.Rows {
		as = append(as, attrs("read amplification", fmt.Sprintf("%.1f", float64(a.RowsRead)/float64(a.Rows)))...)
	}
	as = appendCount(as, "keys", a.Points)
	as = appendCount(as, "buckets", a.Buckets)
	as = appendCount(as, "spilled bytes", a.SpillBytes)
	if o.Timing {
		as = append(as, attrs("first row ms", o.duration(a.FirstRow), "time ms", o.duration(max(a.Time, a.FirstRow)))...)
	}
	return as
}

// bucketAttrs prints a bucket's share. Where one scan read several buckets, its calls are
// no single one's.
func bucketAttrs(b *plan.BucketActual, o *Options) []Attr {
	as := attrs("rows", fmt.Sprint(b.Rows))
	as = appendCount(as, "storage calls", b.StorageCalls)
	as = appendCount(as, "shared storage calls", b.SharedCalls)
	as = append(as, attrs("rows read", fmt.Sprint(b.RowsRead), "bytes", o.volatile(fmt.Sprint(b.BytesRead)))...)
	if o.Timing {
		as = append(as, attrs("first row ms", o.duration(b.FirstRow), "time ms", o.duration(b.Time))...)
	}
	return as
}

func appendCount(as []Attr, key string, n int64) []Attr {
	if n == 0 {
		return as
	}
	return append(as, attrs(key, fmt.Sprint(n))...)
}

// volatile is the one place where values that differ from run to run pass.
func (o *Options) volatile(s string) string {
	if o.HideVolatile {
		return "<hidden>"
	}
	return s
}

func (o *Options) duration(d time.Duration) string {
	return o.volatile(fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond)))
}

// Describe gives a node's name and attributes.
func Describe(n plan.Node) Description {
	switch n := n.(type) {
	case *plan.Aggregate:
		return describeAggregate(n)
	case *plan.Append:
		return describeAppend(n)
	case *plan.Apply:
		return describeApply(n)
	case *plan.Delete:
		return describeDelete(n)
	case *plan.DistinctOn:
		return describeDistinctOn(n)
	case *plan.External:
		return describeExternal(n)
	case *plan.Filter:
		return describeFilter(n)
	case *plan.HashJoin:
		return describeHashJoin(n)
	case *plan.Insert:
		return describeInsert(n)
	case *plan.Limit:
		return describeLimit(n)
	case *plan.RowByRow:
		return describeRowByRow()
	case *plan.Lock:
		return describeLock(n)
	case *plan.LookupJoin:
		return describeLookupJoin(n)
	case *plan.MergeJoin:
		return describeMergeJoin(n)
	case *plan.NestedLoop:
		return describeNestedLoop(n)
	case *plan.OneRow:
		return describeOneRow(n)
	case *plan.Project:
		return describeProject(n)
	case *plan.ProjectSet:
		return describeProjectSet(n)
	case *plan.RecursiveUnion:
		return describeRecursiveUnion(n)
	case *plan.SaltGather:
		return describeSaltGather(n)
	case *plan.SaltMerge:
		return describeSaltMerge(n)
	case *plan.Scan:
		return describeScan(n)
	case *plan.SetOp:
		return describeSetOp(n)
	case *plan.Sort:
		return describeSort(n)
	case *plan.TableFunc:
		return describeTableFunc(n)
	case *plan.TopN:
		return describeTopN(n)
	case *plan.Update:
		return describeUpdate(n)
	case *plan.Upsert:
		return describeUpsert(n)
	case *plan.Values:
		return describeValues(n)
	case *plan.VirtualScan:
		return describeVirtualScan(n)
	case *plan.Window:
		return describeWindow(n)
	case *plan.With:
		return describeWith(n)
	case *plan.WithScan:
		return describeWithScan(n)
	}
	return Description{Name: fmt.Sprintf("%T", n)} // not reached: a test has all
}
