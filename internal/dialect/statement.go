package dialect

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TypeName is a type as written: see typename.TypeName.
type TypeName = typename.TypeName

// Statement is one translated statement. It is immutable and may be shared
// between goroutines once Parse has returned it.
type Statement struct {
	// Text is the user's text of this statement, without the semicolon and
	// the space around it.
	Text string
	// Offset is the byte offset of Text in the text given to Parse.
	Offset int
	// Exactly one of AST and Utility is set. AST is a SELECT, VALUES, TABLE,
	// set operation, INSERT, UPSERT, UPDATE or DELETE, to be read through
	// package marker (DecodeQuery, Insert, Update, Delete, Decode).
	AST     ast.StmtNode
	Utility Utility
	// NumParams is the highest $n.
	NumParams int
	// Side holds what stands beside the grammar.
	Side Side

	index  *lex.Index // of whole, if that is long
	whole  string     // the text given to Parse
	out    string     // the translated text, for logs and goldens
	spans  []span     // output offset -> source offset, sorted by output offset
	params []param    // sorted by output offset
}

// Side is what a statement says beside the grammar.
type Side struct {
	// Hints are those of Phoenix's /*+ … */ comments after SELECT, UPSERT or
	// DELETE, subqueries included, in order of appearance.
	Hints []Hint
	// Notices are for the client: identifiers that were truncated.
	Notices []*sqlerr.Error
}

// Hint is one hint of a /*+ … */ comment: NAME or NAME(arg arg).
type Hint struct {
	Name string // upper case
	Args []string
	Pos  int
}

// span says that output from out on came from src of the user's text.
type span struct {
	out, src int32
}

// param says that the "?" at out is $number.
type param struct {
	out, number int32
}

// Expr is an expression inside a DDL or utility statement: a DEFAULT, a CHECK,
// a split point, an argument of EXECUTE.
type Expr struct {
	Node ast.ExprNode
	// Text is the user's text of the expression.
	Text string
	// Pos is its 1-based character position in the text given to Parse.
	Pos int
	// Src maps nodes of this expression to positions: Src.Pos(node). Its AST
	// is SELECT Node.
	Src *Statement
}

// Translated gives the text that the TiDB parser read: for logs and tests.
func (s *Statement) Translated() string { return s.out }

// ParamNumber gives the n of $n.
func (s *Statement) ParamNumber(p *literal.Param) int {
	lo, hi := 0, len(s.params)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(s.params[mid].out) < p.Out {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.params) && int(s.params[lo].out) == p.Out {
		return int(s.params[lo].number)
	}
	return 0
}
