package tree

// From is an item of a FROM clause: *TableRef, *Derived, *FuncRef or *Join.
type From interface {
	Position() int
	isFrom()
}

// Alias is the name an item of FROM goes by.
type Alias struct {
	// Name is "" where none is written (and none is made: see FuncRef).
	Name string
	// Columns renames the first columns.
	Columns []string
}

// TableRef is a table, view or CTE by name.
type TableRef struct {
	Pos
	Schema, Name string
	Alias        Alias
	Only         bool
	// Dynamic are Phoenix's dynamic columns: FROM t (extra VARCHAR).
	Dynamic []ColDef
	Sample  *Sample
}

// Sample is a TABLESAMPLE clause.
type Sample struct {
	Method     string
	Args       []Expr
	Repeatable Expr
}

// Derived is a subquery (or VALUES list) in FROM.
type Derived struct {
	Pos
	Query   Query
	Lateral bool
	Alias   Alias
}

// ColDef is a column name with its type.
type ColDef struct {
	Family    string
	Name      string
	Type      *TypeName
	Collation string
	// Quoted and FamilyQuoted say so of the two names.
	Quoted, FamilyQuoted bool
}

// FuncRef is a set-returning function in FROM, or ROWS FROM (…). Its Alias is
// the written one, or else the (first) function's name with Implicit set.
type FuncRef struct {
	Pos
	Funcs      []FuncItem
	RowsFrom   bool
	Ordinality bool // WITH ORDINALITY
	Lateral    bool // said aloud; functions are lateral anyway
	Alias      Alias
	Implicit   bool
	ColDefs    []ColDef // of the whole: f(…) AS t(a int)
}

// FuncItem is one function of a FuncRef: a *Func, or what reads like one, as a
// *Keyword.
type FuncItem struct {
	Expr    Expr
	ColDefs []ColDef
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

// Join is an explicit join. Inner joins have On, Using or Natural. It stands
// where its right side does.
type Join struct {
	Kind        JoinKind
	Natural     bool
	Using       []string
	UsingAlias  string
	On          Expr
	Left, Right From
	// Alias is set for (a JOIN b …) AS alias.
	Alias Alias
}

// Position implements From.
func (j *Join) Position() int { return j.Right.Position() }

func (*TableRef) isFrom() {}
func (*Derived) isFrom()  {}
func (*FuncRef) isFrom()  {}
func (*Join) isFrom()     {}
