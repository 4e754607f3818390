package plan

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
)

// WriteMode says what a write must know of the row before it; EXPLAIN shows it.
type WriteMode uint8

const (
	Blind       WriteMode = iota // no read
	CheckAbsent                  // one conditional write: the row must not exist
	Conditional                  // one conditional write: row there or not, two outcomes
	ReadFirst                    // read, compute, compare-and-set; again if the row changed
)

func (m WriteMode) String() string {
	switch m {
	case CheckAbsent:
		return "check absent"
	case Conditional:
		return "conditional"
	case ReadFirst:
		return "read first"
	}
	return "blind"
}

// writeText is what EXPLAIN says of a write to t.
func writeText(m WriteMode, t *catalog.Table) string {
	if m == ReadFirst && t.Options.TTL > 0 {
		return m.String() + ", whole rows for their TTL"
	}
	return m.String()
}

// indexNames lists the indexes that a write to t keeps up.
func indexNames(t *catalog.Table) string {
	var names []string
	for i := range t.Indexes {
		if t.Indexes[i].Kept() {
			names = append(names, t.Indexes[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// WritesHere says that a node writes.
func WritesHere(n Node) bool {
	switch n.(type) {
	case *Insert, *Upsert, *Update, *Delete:
		return true
	}
	return false
}

// Writes says that a node or one below it writes.
func Writes(n Node) bool { return WritesHere(n) || slices.ContainsFunc(n.Inputs(), Writes) }

// WrittenTable is the table that a node of WritesHere writes.
func WrittenTable(n Node) *catalog.Table {
	switch n := n.(type) {
	case *Insert:
		return n.Table
	case *Upsert:
		return n.Table
	case *Update:
		return n.Table
	case *Delete:
		return n.Table
	}
	return nil
}

// SetColumn assigns Value to column Column (an index into Table.Columns).
type SetColumn struct {
	Column int
	Value  expr.Expr
}

// CheckExpr is a bound CHECK constraint over the row (Table.Columns).
type CheckExpr struct {
	Name string
	Cond expr.Expr
}

func tableName(t *catalog.Table) string {
	if t.Schema == "" || t.Schema == "public" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}

func setText(t *catalog.Table, set []SetColumn) string {
	texts := make([]string, len(set))
	for i, s := range set {
		texts[i] = t.Columns[s.Column].Name + " = " + bare(expr.ToText(s.Value))
	}
	return strings.Join(texts, ", ")
}

func checkNames(checks []CheckExpr) string {
	names := make([]string, len(checks))
	for i, c := range checks {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}
