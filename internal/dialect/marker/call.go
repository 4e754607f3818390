package marker

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// Kind says what a Call stands for.
type Kind uint8

// The kinds of calls.
const (
	// Func is a function call: Schema (may be ""), Name. Syntax such as
	// EXTRACT(f FROM x), SUBSTRING(a FROM b), TRIM, POSITION, OVERLAY, AT
	// TIME ZONE, OVERLAPS, NORMALIZE and COLLATION FOR is a call of Postgres's
	// function with Schema "pg_catalog", its arguments in the function's own
	// order, and Syntax set.
	Func Kind = iota + 1
	// Op is an operator that is not native: Name, one or two Args. LIKE is
	// ~~, NOT LIKE !~~, ILIKE ~~*, NOT ILIKE !~~*; with ESCAPE there is a
	// third argument. SIMILAR TO is "similar to" or "not similar to".
	Op
	// Cast converts Args[0] to Type; `type 'text'` and INTERVAL '…' too.
	Cast
	// Any and All compare Args[0] by operator Name with each element of the
	// array Args[1], or each row when Args[1] is a *ast.SubqueryExpr. Name is
	// an operator as in Op, also a native one ("=").
	Any
	All
	// Array is ARRAY[…]; a nested bracket list is an Array too.
	Array
	// ArrayQuery is ARRAY(SELECT …): Args[0] is a *ast.SubqueryExpr.
	ArrayQuery
	// Subscript is Args[0][Args[1]].
	Subscript
	// Slice is Args[0][Args[1]:Args[2]]; a missing bound is nil.
	Slice
	// Field is (Args[0]).Name.
	Field
	// FieldStar is (Args[0]).*: all fields.
	FieldStar
	// WholeRow is t.* or s.t.* inside an expression: Schema, Name.
	WholeRow
	// Row is ROW(…) or (a, b).
	Row
	// Collate is Args[0] COLLATE [Schema.]Name.
	Collate
	// Keyword is what Postgres resolves by syntax, not by name: coalesce,
	// greatest, least, nullif, grouping, current_date, current_time,
	// current_timestamp, localtime, localtimestamp (Args[0] is the precision
	// if one is written), current_user, session_user, user, current_role,
	// current_catalog, current_schema; and "next value for" (Args[0] is the
	// sequence as a *ast.ColumnNameExpr).
	Keyword
	// Special is the rest: "between symmetric", "not between symmetric", "is
	// unknown", "is not unknown", "is document", "is not document".
	Special
)

// Call is the decoded form of every function call, cast, array and other
// construct the native nodes cannot hold.
type Call struct {
	Kind   Kind
	Name   string
	Schema string
	Args   []ast.ExprNode
	// ArgNames is nil, or holds the name of each argument ("" if positional).
	ArgNames []string
	Variadic bool // the last argument is marked VARIADIC
	Star     bool // f(*)
	Distinct bool // f(DISTINCT …)
	All      bool // f(ALL …), which is the default said aloud
	// OrderBy is the order inside an aggregate's parentheses, or that of
	// WITHIN GROUP when Within is set.
	OrderBy []OrderItem
	Within  bool
	Filter  ast.ExprNode
	Over    *Window
	Type    *typename.TypeName // of a Cast
	// Syntax says how it was spelled when that is not the plain form: "like",
	// "extract", "substring", "cast", "::" and so on. Meaning never depends
	// on it.
	Syntax string
	// Node is the call's node: Statement.Pos(Node) is the operator's or the
	// name's position.
	Node ast.ExprNode
}

// OrderItem is one item of an ORDER BY. An integer constant at the top of Expr
// in a query's own ORDER BY is an output column number, as in Postgres.
type OrderItem struct {
	Expr ast.ExprNode
	Desc bool
	// Nulls is the written choice; NullsDefault is LAST ascending and FIRST
	// descending.
	Nulls Nulls
	// Using is the operator of ORDER BY … USING op, else "".
	Using       string
	UsingSchema string
}

// Nulls is where an order puts NULLs.
type Nulls uint8

// The places of NULLs.
const (
	NullsDefault Nulls = iota
	NullsFirst
	NullsLast
)

// Window is an OVER clause or a definition of a WINDOW clause.
type Window struct {
	// Ref is the window named by OVER name, or the one that OVER (name …)
	// starts from.
	Ref string
	// Bare is true for OVER name without parentheses.
	Bare        bool
	PartitionBy []ast.ExprNode
	OrderBy     []OrderItem
	Frame       *Frame // nil: none written
	Node        ast.ExprNode
}

// FrameMode is the unit of a frame.
type FrameMode uint8

// The units of a frame.
const (
	Rows FrameMode = iota + 1
	Range
	Groups
)

// BoundKind is where a frame starts or ends.
type BoundKind uint8

// The bounds of a frame.
const (
	UnboundedPreceding BoundKind = iota + 1
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// Bound is one end of a frame; Offset is set for the two offset kinds.
type Bound struct {
	Kind   BoundKind
	Offset ast.ExprNode
}

// Exclusion is a frame's EXCLUDE clause.
type Exclusion uint8

// The exclusions of a frame.
const (
	ExcludeNoOthers Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is a window frame. With one bound written, End is CurrentRow.
type Frame struct {
	Mode       FrameMode
	Start, End Bound
	Exclude    Exclusion
	// Between tells whether both bounds were written.
	Between bool
}
