package plan

import (
	"fmt"
	"strings"
	"time"
)

// ExplainOptions say what EXPLAIN prints.
type ExplainOptions struct {
	Analyze bool
	Verbose bool // a line per bucket, and the result's columns
	JSON    bool
	Timing  bool // print times; with Analyze it is on unless told
	Summary bool // print planning and execution time
	NoRows  bool // do not print estimates: COSTS off
	// Estimates, where set, are the rows that nodes are thought to give.
	Estimates *Estimates
	// HideVolatile prints times, bytes and page sizes as <hidden>, for golden files.
	HideVolatile bool
}

// Estimates are guesses of the planner; a node of which nothing is known is not in Rows.
type Estimates struct{ Rows map[Node]int64 }

// Description is what EXPLAIN shows of a node: `Name on Object  (k v; k v)`.
type Description struct {
	Name   string // "Salt Merge"
	Object string // "metrics", may be empty
	Alias  string // what the statement calls it, if something else
	Attrs  []Attr
}

// Attr is one attribute of a node. Key is empty where the text reads by itself.
type Attr struct {
	Key   string
	Value string
}

// Explain prints a plan: one line per element, or all of the JSON in one. a is
// nil unless the plan was run.
func Explain(p *Plan, o ExplainOptions, a *Actuals) []string {
	root := describeTree(p.Root, &o, a)
	if o.JSON {
		return []string{explainJSON(root, &o, a)}
	}
	var w textWriter
	w.node(root, 0)
	if o.Verbose && len(p.Columns) > 0 {
		w.lines = append(w.lines, "Output: "+columnNames(p.Columns))
	}
	if o.Summary && a != nil {
		w.lines = append(w.lines, "Planning Time: "+o.duration(a.Planning)+" ms")
		if o.Analyze {
			w.lines = append(w.lines, "Execution Time: "+o.duration(a.Execution)+" ms")
		}
	}
	return w.lines
}

// manyRows is from how many rows on the text form tells an estimate.
const manyRows = 100

// explained is the tree that both printers print.
type explained struct {
	Description
	rows    int64  // estimated; -1 is not known
	actual  []Attr // nil: not analyzed
	never   bool   // analyzed, and never executed
	buckets []bucketLine
	inputs  []*explained
}

type bucketLine struct {
	bucket int
	attrs  []Attr
}

func describeTree(n Node, o *ExplainOptions, a *Actuals) *explained {
	e := &explained{Description: Describe(n), rows: -1}
	if o.Estimates != nil && !o.NoRows {
		if rows, ok := o.Estimates.Rows[n]; ok {
			e.rows = rows
		}
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
			e.actual, e.never = []Attr{{Value: "never executed"}}, true
		}
	}
	for _, in := range n.Inputs() {
		e.inputs = append(e.inputs, describeTree(in, o, a))
	}
	return e
}

func actualAttrs(a *Actual, o *ExplainOptions) []Attr {
	as := []Attr{{"rows", fmt.Sprint(a.Rows)}}
	as = appendCount(as, "rows written", a.RowsWritten)
	as = appendCount(as, "storage calls", a.StorageCalls)
	if a.StorageCalls > 0 {
		as = append(as, Attr{"rows read", fmt.Sprint(a.RowsRead)}, Attr{"bytes", o.volatile(fmt.Sprint(a.BytesRead))})
	}
	if a.Rows > 0 && a.RowsRead > a.Rows {
		as = append(as, Attr{"read amplification", fmt.Sprintf("%.1f", float64(a.RowsRead)/float64(a.Rows))})
	}
	as = appendCount(as, "keys", a.Points)
	as = appendCount(as, "buckets", a.Buckets)
	as = appendCount(as, "spilled bytes", a.SpillBytes)
	if o.Timing {
		as = append(as, Attr{"first row ms", o.duration(a.FirstRow)}, Attr{"time ms", o.duration(max(a.Time, a.FirstRow))})
	}
	return as
}

// bucketAttrs prints a bucket's share. Where one scan read several buckets, its calls are
// no single one's.
func bucketAttrs(b *BucketActual, o *ExplainOptions) []Attr {
	as := []Attr{{"rows", fmt.Sprint(b.Rows)}}
	as = appendCount(as, "storage calls", b.StorageCalls)
	as = appendCount(as, "shared storage calls", b.SharedCalls)
	as = append(as, Attr{"rows read", fmt.Sprint(b.RowsRead)}, Attr{"bytes", o.volatile(fmt.Sprint(b.BytesRead))})
	if o.Timing {
		as = append(as, Attr{"first row ms", o.duration(b.FirstRow)}, Attr{"time ms", o.duration(b.Time)})
	}
	return as
}

func appendCount(as []Attr, key string, n int64) []Attr {
	if n == 0 {
		return as
	}
	return append(as, Attr{key, fmt.Sprint(n)})
}

// volatile is the one place where values that differ from run to run pass.
func (o *ExplainOptions) volatile(s string) string {
	if o.HideVolatile {
		return "<hidden>"
	}
	return s
}

func (o *ExplainOptions) duration(d time.Duration) string {
	return o.volatile(fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond)))
}

// textWriter prints in Postgres's look: two columns for the root's children,
// six more for each level below.
type textWriter struct{ lines []string }

func (w *textWriter) node(e *explained, depth int) {
	indent := ""
	if depth > 0 {
		indent = strings.Repeat(" ", 6*depth-4) + "->  "
	}
	line := indent + e.Name
	if e.Object != "" {
		line += " on " + e.Object
	}
	if e.Alias != "" {
		line += " " + e.Alias
	}
	attrs := e.Attrs
	if e.rows >= manyRows {
		attrs = append(attrs[:len(attrs):len(attrs)], Attr{Value: fmt.Sprintf("rows≈%d", e.rows)})
	}
	if len(attrs) > 0 {
		line += "  (" + joinAttrs(attrs) + ")"
	}
	if e.actual != nil {
		line += "  (actual: " + joinAttrs(e.actual) + ")"
	}
	w.lines = append(w.lines, line)
	detail := strings.Repeat(" ", 6*depth+2)
	for _, b := range e.buckets {
		w.lines = append(w.lines, fmt.Sprintf("%sBucket %d: %s", detail, b.bucket, joinAttrs(b.attrs)))
	}
	for _, in := range e.inputs {
		w.node(in, depth+1)
	}
}

func joinAttrs(as []Attr) string {
	var b strings.Builder
	for i, a := range as {
		if i > 0 {
			b.WriteString("; ")
		}
		if a.Key != "" {
			b.WriteString(a.Key)
			b.WriteByte(' ')
		}
		b.WriteString(a.Value)
	}
	return b.String()
}

// Describe gives a node's name and attributes.
func Describe(n Node) Description {
	switch n := n.(type) {
	case *Aggregate:
		return n.Describe()
	case *Append:
		return n.Describe()
	case *Apply:
		return n.Describe()
	case *Delete:
		return n.Describe()
	case *DistinctOn:
		return n.Describe()
	case *External:
		return n.Describe()
	case *Filter:
		return n.Describe()
	case *HashJoin:
		return n.Describe()
	case *Insert:
		return n.Describe()
	case *Limit:
		return n.Describe()
	case *Lock:
		return n.Describe()
	case *LookupJoin:
		return n.Describe()
	case *MergeJoin:
		return n.Describe()
	case *NestedLoop:
		return n.Describe()
	case *OneRow:
		return n.Describe()
	case *Project:
		return n.Describe()
	case *ProjectSet:
		return n.Describe()
	case *RecursiveUnion:
		return n.Describe()
	case *SaltGather:
		return n.Describe()
	case *SaltMerge:
		return n.Describe()
	case *Scan:
		return n.Describe()
	case *SetOp:
		return n.Describe()
	case *Sort:
		return n.Describe()
	case *TableFunc:
		return n.Describe()
	case *TopN:
		return n.Describe()
	case *Update:
		return n.Describe()
	case *Upsert:
		return n.Describe()
	case *Values:
		return n.Describe()
	case *VirtualScan:
		return n.Describe()
	case *Window:
		return n.Describe()
	case *With:
		return n.Describe()
	case *WithScan:
		return n.Describe()
	}
	return Description{Name: fmt.Sprintf("%T", n)} // not reached: a test has all
}
