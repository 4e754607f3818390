package marker

import (
	"errors"
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// Source says where in the user's text the pieces of a translated text come
// from.
type Source struct {
	Text   string
	Index  *lex.Index // of Text, if that is long
	ASCII  bool       // Text has no other characters
	Spans  []Span     // sorted by Out
	Params []Param    // sorted by Out
	// Types are the types of casts by the offset in Text of what stands for
	// the cast.
	Types map[int32]*tree.TypeName
	// Inner are the statements that MInner calls stand for.
	Inner []tree.DML
	// Recursions are the SEARCH and CYCLE clauses, by the offset of the WITH query's name.
	Recursions map[tree.Pos]Recursion

	nodes nodes
}

// Recursion is what is said behind a WITH query.
type Recursion struct {
	Search *tree.Search
	Cycle  *tree.Cycle
}

// Span says that output from Out on came from Src of the user's text.
type Span struct{ Out, Src int32 }

// Param says that the "?" at Out is $Number.
type Param struct{ Out, Number int32 }

// fault is what decoding panics with: a node that the front never emits.
type fault string

// catch turns a fault into an error.
func catch(err *error) {
	if r := recover(); r != nil {
		f, ok := r.(fault)
		if !ok {
			panic(r)
		}
		*err = errors.New("the grammar's tree cannot be read: " + string(f))
	}
}

// Statement decodes a query or DML statement. An error is a fault of the front.
func (s *Source) Statement(n ast.StmtNode) (d tree.DML, err error) {
	defer catch(&err)
	s.nodes = nodes{}
	switch n := n.(type) {
	case *ast.InsertStmt:
		return s.insert(n), nil
	case *ast.UpdateStmt:
		return s.update(n), nil
	case *ast.DeleteStmt:
		return s.delete(n), nil
	}
	q := s.query(n)
	if q == nil {
		panic(fault(fmt.Sprintf("statement %T", n)))
	}
	return q, nil
}

// char gives the character position of a byte of the user's text.
func (s *Source) char(src int32) tree.Pos {
	if s.ASCII {
		return tree.Pos(src + 1)
	}
	return tree.Pos(s.Index.Position(s.Text, int(src)))
}

// span finds the last span that begins at or before an offset of the output;
// nil if there is none.
func (s *Source) span(out int) *Span {
	lo, hi := 0, len(s.Spans)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(s.Spans[mid].Out) <= out {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	return &s.Spans[lo-1]
}

// begins gives the byte of the user's text of a piece that begins at an offset.
func (s *Source) begins(out int) (src int32, ok bool) {
	p := s.span(out)
	if p == nil || int(p.Out) != out {
		return 0, false
	}
	return p.Src, true
}

// at gives the position of what stands at an offset of the output.
func (s *Source) at(out int) tree.Pos {
	p := s.span(out)
	if p == nil {
		return 0
	}
	return s.char(p.Src)
}

// pos gives the position of a node.
func (s *Source) pos(n ast.Node) tree.Pos { return s.at(n.OriginTextPosition()) }

// before gives the position of what stands before a node: an operator's piece
// ends where its right operand begins.
func (s *Source) before(n ast.Node) tree.Pos { return s.at(n.OriginTextPosition() - 1) }

// number gives the n of the $n at an offset.
func (s *Source) number(out int) int {
	lo, hi := 0, len(s.Params)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(s.Params[mid].Out) < out {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.Params) && int(s.Params[lo].Out) == out {
		return int(s.Params[lo].Number)
	}
	return 0
}
