package plpgsql

import "github.com/saltsql/saltsql/internal/sqlerr"

// Block is BEGIN … [EXCEPTION …] END.
type Block struct {
	Do       []Statement
	Handlers []Handler // tried in order; what Do has changed is undone before one runs
	Line     int
}

// Handler is WHEN conditions THEN statements.
type Handler struct {
	When []Condition
	Do   []Statement
}

// Statement is one of a block: *Block, *SQL, *Execute, *If, *Raise or *Null.
type Statement interface {
	// At is its line in the body, from 1, and what PostgreSQL calls it in CONTEXT.
	At() (line int, kind string)
}

// SQL is a statement of SQL, or PERFORM's query, which begins with SELECT.
type SQL struct {
	Text    string
	Perform bool // its rows go nowhere; else it may give none
	Line    int
}

// Execute is EXECUTE text, an expression.
type Execute struct {
	Text string
	Line int
}

// If is IF … ELSIF … ELSE … END IF: the statements of the first arm whose condition is true.
type If struct {
	Arms []Arm
	Else []Statement
	Line int
}

// Arm is a condition, an expression, and its statements.
type Arm struct {
	When string
	Do   []Statement
}

// Raise is RAISE. One without a format and a condition raises anew what the handler has caught.
type Raise struct {
	Severity sqlerr.Severity // "" for DEBUG and LOG, which no client is told
	Code     sqlerr.Code     // zero: of its severity
	Name     string          // the condition's, where it was named by one: the message without a format
	Format   string
	Given    bool // a format was given
	Args     []string
	Using    []Option
	Line     int
}

// Again says that RAISE stands alone.
func (r *Raise) Again() bool { return !r.Given && r.Name == "" && len(r.Using) == 0 }

// Option is name = expression of USING; the name is in lower case.
type Option struct{ Name, Value string }

// Null is NULL, which does nothing.
type Null struct{ Line int }

func (b *Block) At() (int, string)   { return b.Line, "statement block" }
func (e *Execute) At() (int, string) { return e.Line, "EXECUTE" }
func (i *If) At() (int, string)      { return i.Line, "IF" }
func (r *Raise) At() (int, string)   { return r.Line, "RAISE" }
func (n *Null) At() (int, string)    { return n.Line, "NULL" }

func (s *SQL) At() (int, string) {
	if s.Perform {
		return s.Line, "PERFORM"
	}
	return s.Line, "SQL statement"
}
