package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	manyRows = 100 // from how many rows on an estimate is told
	width    = 100 // columns of a line; only what is one expression may take more
)

// textWriter prints in PostgreSQL's look: a line for each node, two columns for the root's
// children and six more for each level below, and a line for each of its attributes.
type textWriter struct{ lines []string }

func (w *textWriter) node(e *explained, depth int) {
	indent, under := "", strings.Repeat(" ", 6*depth+2)
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
	var guess []string
	if c := e.cost; c != nil {
		guess = append(guess, "cost="+number(c.Start)+".."+number(c.Total))
	}
	if e.rows >= manyRows {
		guess = append(guess, fmt.Sprintf("rows≈%d", e.rows))
	}
	if guess != nil {
		line += "  (" + strings.Join(guess, " ") + ")"
	}
	w.lines = append(w.lines, line)
	if len(e.output) > 0 {
		w.list(under, "Output: ", e.output)
	}
	for _, a := range e.Attrs {
		w.attr(under, &a)
	}
	switch {
	case e.never:
		w.lines = append(w.lines, under+"Actual: never executed")
	case e.actual != nil:
		w.list(under, "Actual: ", counters(e.actual))
	}
	w.perBucket(under, e.buckets)
	for _, in := range e.inputs {
		w.node(in, depth+1)
	}
}

// attr prints an attribute; its note goes into lines of its own where it does not fit.
func (w *textWriter) attr(under string, a *Attr) {
	name, value, note := titleCase(a.Key)+": ", a.Value, a.Note
	if note != "" {
		note = "(" + note + ")"
		if a.List || len(under)+len(name)+len(value)+1+len(note) <= width {
			value, note = value+" "+note, ""
		}
	}
	if a.List {
		w.list(under, name, strings.Split(value, ", "))
	} else {
		w.lines = append(w.lines, under+name+value)
	}
	if note != "" {
		w.list(under+"  ", "", strings.Split(note, ", "))
	}
}

// list prints a list behind a name, in as many lines as it takes.
func (w *textWriter) list(under, name string, items []string) {
	line := under + name
	for i, item := range items {
		if i < len(items)-1 {
			item += ","
		}
		switch {
		case i == 0:
			line += item
		case len(line)+1+len(item) > width:
			w.lines = append(w.lines, line)
			line = under + "  " + item
		default:
			line += " " + item
		}
	}
	w.lines = append(w.lines, line)
}

// counters prints what was counted, the two times as one.
func counters(as []Attr) []string {
	var out []string
	first := ""
	for _, a := range as {
		switch a.Key {
		case "first row ms":
			first = a.Value
		case "time ms":
			out = append(out, "ms "+first+".."+a.Value)
		default:
			out = append(out, shortKey(a.Key)+" "+a.Value)
		}
	}
	return out
}

// shortKey is a counter's name where lines are short.
func shortKey(key string) string { return strings.ReplaceAll(key, "storage calls", "calls") }

// perBucket sums up what the buckets did: of each counter the least and the most, and whose the most is.
func (w *textWriter) perBucket(under string, buckets []bucketLine) {
	if len(buckets) == 0 {
		return
	}
	if len(buckets) == 1 {
		w.list(under, fmt.Sprintf("Bucket %d: ", buckets[0].bucket), counters(buckets[0].attrs))
		return
	}
	of := map[string][]bucketValue{}
	var keys []string
	for _, b := range buckets {
		for _, a := range b.attrs {
			if of[a.Key] == nil {
				keys = append(keys, a.Key)
			}
			of[a.Key] = append(of[a.Key], bucketValue{b.bucket, a.Value})
		}
	}
	items := make([]string, 0, len(keys))
	for _, key := range keys {
		vs := of[key]
		if len(vs) < len(buckets) { // a count of 0 is not told
			vs = append(vs, bucketValue{-1, "0"})
		}
		least, most := slices.MinFunc(vs, byValue), slices.MaxFunc(vs, byValue)
		item := shortKey(key) + " " + least.value
		if least.value != most.value {
			item += fmt.Sprintf(" to %s (bucket %d)", most.value, most.bucket)
		}
		items = append(items, item)
	}
	w.list(under, fmt.Sprintf("Each of %d Buckets: ", len(buckets)), items)
}

type bucketValue struct {
	bucket int
	value  string
}

// byValue orders decimal numbers; what is no number is equal to all.
func byValue(a, b bucketValue) int {
	var x, y float64
	_, _ = fmt.Sscan(a.value, &x)
	_, _ = fmt.Sscan(b.value, &y)
	return cmp.Compare(x, y)
}
