package plan

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Access says how a Scan finds its rows; it is what EXPLAIN calls the node.
type Access uint8

const (
	FullScan       Access = iota // every row
	PointRead                    // one full key
	MultiPointRead               // a list of full keys
	RangeScan                    // spans on a prefix of the key
	SkipScan                     // many spans: a cross product of ranges
)

// Scan reads rows of one table: what of it, by which path, and what is done where it is read. On a
// salted table it stands for the read of each bucket and has a SaltMerge or a SaltGather above it,
// unless it is a Point Read, or a Multi Point Read of so few keys that they are never joined to
// ranges (see PointsOnly).
type Scan struct {
	Source
	Path
	Pushed
}

// Source is what a Scan reads and gives.
type Source struct {
	Table *catalog.Table
	// Of, where not nil, is the table of which Table is an index, its entries seen as rows:
	// see catalog.Index.Entries. Covered says that nothing else of Of is read for them.
	Of      *catalog.Table
	Covered bool
	Alias   string
	// Cols are the columns given, as indexes into Table.Columns. Filter and
	// the nodes above refer to positions in Cols.
	Cols []int
	// Unread are positions in Cols whose values nothing asks for: they are not read,
	// and come as NULL.
	Unread []int
	// Sample, where not nil, reads a part of the rows.
	Sample *Sample
	// ForUpdate: the statement writes the rows it reads.
	ForUpdate bool
	// WithKey appends the physical row key, as bytea, after Cols, and
	// WithVersion the newest cell timestamp, as int8: what UPDATE and
	// DELETE need.
	WithKey, WithVersion bool
}

// Path is how a Scan reaches its rows, and in which order.
type Path struct {
	Access Access
	// Key constrains the key; nil is no constraint. When it runs, the scan
	// turns it into spans.
	Key *KeyCond
	// Said is all that the conditions say of the key, Key and what spans make no use of:
	// EXPLAIN tells by it why buckets are not left out. nil is Key alone.
	Said []KeyConj
	// Reduced, where not nil, narrows the scan further by what a join above knows when
	// it runs.
	Reduced *ReducedKey
	// Order is the order of the row key without its salt. Multi Point Read keeps it too.
	Order Order
	// Distinct, over 0, says that of rows that agree in so many leading key columns
	// only the first in the order of reading need be given. It is less than the
	// number of key columns, and Filter and Recheck say nothing of the others.
	Distinct int
	// Skip is what Filter implies for key columns from SkipFrom on, of which at least
	// one before is not bound to values: rows that do not satisfy it may be left
	// out. nil is nothing.
	Skip     *KeyCond
	SkipFrom int
}

// Pushed is what the nodes above a Scan leave to it.
type Pushed struct {
	// Filter is what Key does not say, over Cols: rows for which it is not
	// true are dropped in the storage layer before they are copied where that pays.
	Filter expr.Expr
	// Parts, where not nil, is for each of Cols about the part of the rows that the conjuncts of
	// Filter on it alone let pass; 0 is not known.
	Parts []float64
	// Recheck is Key's meaning as an expression over Cols, applied when the
	// spans turn out inexact. nil if Key is nil, or if its spans are exact
	// whatever the parameters are.
	Recheck expr.Expr
	// Limit is how many rows the nodes above can need in all, their OFFSET counted in: no bucket
	// has to give more. nil or NULL is no limit. It is an upper bound for
	// reading, not an operator: a Limit above does the cutting. Loose says that rows may be
	// dropped on the way up, so that more may be needed: it then only sizes the first pages.
	Limit expr.Expr
	Loose bool
}

// ReducedKey takes the place of a scan's Key and Recheck where the parameter Param, an
// array, is not NULL when the scan is opened: it says all that they say, and that a
// column is one of the array's elements.
type ReducedKey struct {
	Param   int // as expr.Param counts
	Key     *KeyCond
	Recheck expr.Expr
}

// Sample is TABLESAMPLE: each row, or each stretch of rows with Blocks, is given with a
// probability of Percent in 100. Percent outside of 0 to 100 or NULL is 2202H. With the same
// Seed the same rows are given while the table stays as it is; nil is one drawn for each
// execution, of which N then makes one for each relation of the statement.
type Sample struct {
	Blocks  bool      // SYSTEM, else BERNOULLI
	Percent expr.Expr // float8
	Seed    expr.Expr // float8; NULL is 2202G
	N       int
}

// Names of the pseudo columns that WithKey and WithVersion append, for EXPLAIN: nothing is found
// by them.
const (
	RowKeyColumn  = "row key"
	VersionColumn = "version"
)

func (a Access) String() string {
	switch a {
	case PointRead:
		return "Point Read"
	case MultiPointRead:
		return "Multi Point Read"
	case RangeScan:
		return "Range Scan"
	case SkipScan:
		return "Skip Scan"
	}
	return "Full Scan"
}

func (n *Scan) Inputs() []Node { return nil }

func (n *Scan) EachExpr(x *Exprs) {
	x.One(&n.Filter)
	x.One(&n.Recheck)
	x.One(&n.Limit)
	if owned(x, &n.Reduced) {
		x.One(&n.Reduced.Recheck)
	}
	x.Sampled(&n.Sample)
}

// Columns are Cols, then the row key and the version if asked for.
func (n *Scan) Columns() []Column {
	cols := make([]Column, len(n.Cols), len(n.Cols)+2)
	for i := range n.Cols {
		cols[i] = n.Column(i)
	}
	if n.WithKey {
		cols = append(cols, Column{Name: RowKeyColumn, Type: types.Of(types.Bytea)})
	}
	if n.WithVersion {
		cols = append(cols, Column{Name: VersionColumn, Type: types.Of(types.Int8)})
	}
	return cols
}

// Column describes one of Cols, as Columns does.
func (n *Scan) Column(i int) Column {
	of := n.Table
	if n.Of != nil {
		of = n.Of
	}
	c := &n.Table.Columns[n.Cols[i]]
	col := Column{Name: c.Name, Type: c.Type, Table: of.ID, ColumnID: c.ID}
	if c.ID == 0 {
		col.Table = 0 // computed
	}
	return col
}

// PointsOnly says that the scan reads full keys, so few that they are never joined
// to ranges: it then needs no gather, for the buckets follow from the keys.
func (n *Scan) PointsOnly() bool {
	full, most := n.Key.FullKey(len(n.Table.PrimaryKey))
	switch n.Access {
	case PointRead:
		return full && most == 1
	case MultiPointRead:
		return full && most > 0 && most <= MaxPoints
	}
	return false
}

// KeysOnly says that no cell's value is needed: every column given is in the key.
func (n *Scan) KeysOnly() bool {
	for _, i := range n.Read() {
		if n.Table.Columns[i].KeyPos < 0 {
			return false
		}
	}
	return !n.WithVersion
}

// Read lists the columns that are read, as indexes into Table.Columns.
func (n *Scan) Read() []int {
	if len(n.Unread) == 0 {
		return n.Cols
	}
	var cols []int
	for at, i := range n.Cols {
		if !slices.Contains(n.Unread, at) {
			cols = append(cols, i)
		}
	}
	return cols
}
