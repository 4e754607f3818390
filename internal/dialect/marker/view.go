package marker

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// Query is a decoded query: *SelectView, *ValuesView or *SetOpView.
type Query interface {
	// Outer gives what may stand around any of the three.
	Outer() *Outer
}

// Outer is what may stand around any query.
type Outer struct {
	With    *With
	OrderBy []OrderItem
	// Limit is nil for none; LIMIT ALL is the NULL constant.
	Limit    ast.ExprNode
	Offset   ast.ExprNode
	WithTies bool // FETCH FIRST n ROWS WITH TIES
	Locks    []Lock
	Node     ast.ResultSetNode
}

// SelectView is one SELECT.
type SelectView struct {
	outer         Outer
	Distinct      bool
	DistinctOn    []ast.ExprNode // DISTINCT ON (…); Distinct is false then
	Items         []Item         // may be empty, as in Postgres
	From          []From         // the comma list
	Where         ast.ExprNode
	GroupBy       []GroupItem
	GroupDistinct bool // GROUP BY DISTINCT
	Having        ast.ExprNode
	Windows       []NamedWindow
}

// ValuesView is a VALUES list. Its columns are named column1, column2, …
type ValuesView struct {
	outer Outer
	Rows  [][]ast.ExprNode
}

// SetOp is UNION, INTERSECT or EXCEPT.
type SetOp uint8

// The set operations.
const (
	Union SetOp = iota + 1
	Intersect
	Except
)

// SetOpView is a set operation of two queries.
type SetOpView struct {
	outer       Outer
	Op          SetOp
	All         bool
	Left, Right Query
}

// Outer implements Query.
func (v *SelectView) Outer() *Outer { return &v.outer }

// Outer implements Query.
func (v *ValuesView) Outer() *Outer { return &v.outer }

// Outer implements Query.
func (v *SetOpView) Outer() *Outer { return &v.outer }

// Item is one item of a select list or of RETURNING.
type Item struct {
	// Expr is nil for * and t.*.
	Expr ast.ExprNode
	// Name is the output column's name, the alias or the one Postgres gives
	// ("?column?" and so on). Empty for * and t.* and for (x).*.
	Name string
	// FromStar tells that Postgres names the column after the first column of
	// a scalar subquery in Expr that selects *; Name is then "?column?".
	FromStar bool
	// Star is true for * and [Schema.]Table.*.
	Star          bool
	Schema, Table string
	// Node is for Statement.Pos.
	Node ast.Node
}

// GroupItem is one item of GROUP BY. An integer constant at the top of Expr is
// an output column number, as in Postgres.
type GroupItem struct {
	Kind GroupKind
	// Expr is set for GroupExpr. In a GROUPING SETS, CUBE or ROLLUP list a
	// parenthesised list is a Call of kind Row.
	Expr ast.ExprNode
	// Items are the members of the other kinds.
	Items []GroupItem
}

// GroupKind is the kind of a GROUP BY item.
type GroupKind uint8

// The kinds of GROUP BY items.
const (
	GroupExpr GroupKind = iota
	GroupEmpty
	GroupSets
	GroupCube
	GroupRollup
)

// NamedWindow is one definition of a WINDOW clause.
type NamedWindow struct {
	Name string
	Window
}

// LockStrength is the strength of a FOR UPDATE clause.
type LockStrength uint8

// The strengths.
const (
	ForKeyShare LockStrength = iota + 1
	ForShare
	ForNoKeyUpdate
	ForUpdate
)

// Lock is one FOR UPDATE/SHARE clause.
type Lock struct {
	Strength   LockStrength
	Of         []string // relation names; nil means all
	NoWait     bool
	SkipLocked bool
	Node       ast.ExprNode
}

// With is a WITH clause.
type With struct {
	Recursive bool
	CTEs      []CTE
}

// CTE is one common table expression.
type CTE struct {
	Name    string
	Columns []string
	// Materialized is the written choice: 0 none, 1 MATERIALIZED, -1 NOT
	// MATERIALIZED.
	Materialized int
	Query        ast.ResultSetNode
	Pos          int
}

// From is an item of a FROM clause: *TableRef, *Derived, *FuncRef or *Join.
type From interface{ isFrom() }

// Alias is the name an item of FROM goes by.
type Alias struct {
	// Name is "" where none is written (and none is made: see FuncRef).
	Name string
	// Columns renames the first columns.
	Columns []string
}

// TableRef is a table, view or CTE by name.
type TableRef struct {
	Schema, Name string
	Alias        Alias
	Only         bool
	// Dynamic are Phoenix's dynamic columns: FROM t (extra VARCHAR).
	Dynamic []ColDef
	Sample  *Sample
	Pos     int
}

// Sample is a TABLESAMPLE clause.
type Sample struct {
	Method     string
	Args       []ast.ExprNode
	Repeatable ast.ExprNode
}

// Derived is a subquery (or VALUES list) in FROM.
type Derived struct {
	Query   ast.ResultSetNode
	Lateral bool
	Alias   Alias
	Pos     int
}

// ColDef is a column name with its type.
type ColDef struct {
	Family    string
	Name      string
	Type      *typename.TypeName
	Collation string
}

// FuncItem is one function of a FuncRef.
type FuncItem struct {
	Expr    ast.ExprNode // a Func Call, or another Call that reads like one
	ColDefs []ColDef
}

// FuncRef is a set-returning function in FROM, or ROWS FROM (…). Its Alias is
// the written one, or else the (first) function's name with Implicit set.
type FuncRef struct {
	Funcs      []FuncItem
	RowsFrom   bool
	Ordinality bool
	Lateral    bool // said aloud; functions are lateral anyway
	Alias      Alias
	Implicit   bool
	ColDefs    []ColDef // of the whole: f(…) AS t(a int)
	Pos        int
}

// JoinKind is the kind of a join.
type JoinKind uint8

// The kinds of joins.
const (
	Inner JoinKind = iota + 1
	Left
	Right
	Full
	Cross
)

// Join is an explicit join. Inner joins have On, Using or Natural.
type Join struct {
	Kind        JoinKind
	Natural     bool
	Using       []string
	UsingAlias  string
	On          ast.ExprNode
	Left, Right From
	// Alias is set for (a JOIN b …) AS alias.
	Alias Alias
	Pos   int
}

func (*TableRef) isFrom() {}
func (*Derived) isFrom()  {}
func (*FuncRef) isFrom()  {}
func (*Join) isFrom()     {}
