package plan

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
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

// Scan reads rows of one table. On a salted table it stands for the read of
// each bucket and has a SaltMerge or a SaltGather above it, unless it is a
// point read.
type Scan struct {
	Table *catalog.Table
	Alias string
	// Cols are the columns given, as indexes into Table.Columns. Filter and
	// the nodes above refer to positions in Cols.
	Cols   []int
	Access Access
	// Key constrains the key; nil is no constraint. When it runs, the scan
	// turns it into spans.
	Key *KeyCond
	// Filter is what Key does not say, over Cols: rows for which it is not
	// true are dropped in the storage layer before they are copied where that pays.
	Filter expr.Expr
	// Recheck is Key's meaning as an expression over Cols, applied when the
	// spans turn out inexact. nil if Key is nil.
	Recheck expr.Expr
	Order   Order
	// Limit and Offset of the node above, pushed down: at most this many rows
	// in all are needed from every bucket. nil is no limit.
	Limit expr.Expr
	// ForUpdate: the statement writes the rows it reads.
	ForUpdate bool
	// WithKey appends the physical row key, as bytea, after Cols, and
	// WithVersion the newest cell timestamp, as int8: what UPDATE and
	// DELETE need.
	WithKey, WithVersion bool
}

// KeyCond is a disjunction of conjunctions of constraints on key columns.
type KeyCond struct {
	Or []KeyConj
	// Span is the condition as the user wrote it, for EXPLAIN.
	Span string
}

// KeyConj is a conjunction.
type KeyConj struct {
	Terms []KeyTerm
}

// KeyOp is the kind of a KeyTerm.
type KeyOp uint8

const (
	KeyEq      KeyOp = iota // column = Args[0]
	KeyLt                   // <
	KeyLe                   // <=
	KeyGt                   // >
	KeyGe                   // >=
	KeyIn                   // column IN (Args…)
	KeyInArray              // column = ANY (Args[0])
	KeyPrefix               // column starts with Args[0] (text)
	KeyIsNull               // column IS NULL (adopted tables)
	KeyTuple                // (Columns…) Tuple (Args…): "<", "<=", ">", ">="
	KeyTupleIn              // (Columns…) IN rows: Args holds them one after another
	KeyLike                 // column LIKE Args[0]: the prefix is found when it runs
)

// KeyTerm is one constraint. Args are free of columns: literals, parameters,
// stable functions. An Arg that is NULL makes the term false.
type KeyTerm struct {
	Op      KeyOp
	Columns []int // key positions
	Tuple   string
	Args    []expr.Expr
}
