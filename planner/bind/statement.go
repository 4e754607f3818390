package bind

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/viewtarget"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// writer binds what stands around queries: statements that write, and the expressions
// that tables keep.
type writer struct {
	*query.Binder
	view *viewtarget.Target // that the statement writes; nil for a table
	does verb
}

func newWriter(ctx *query.Context, numParams int) writer {
	b := query.NewBinder(ctx, numParams)
	b.Write = func(b *query.Binder, d tree.DML) *logical.Statement { return writer{Binder: b}.bindWrite(d) }
	return writer{Binder: b}
}

// Statement binds a query, INSERT, UPSERT, UPDATE or DELETE. Errors are *sqlerr.Error
// with positions in the text given to dialect.Parse.
func Statement(ctx *query.Context, stmt *tree.Statement) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	b := newWriter(ctx, stmt.NumParams)
	return b.Finish(b.statement(stmt.DML)), nil
}

func (b writer) statement(d tree.DML) *logical.Statement {
	s := b.top(d)
	s.Root = b.Withs(0, s.Root)
	if b.Inlined != nil {
		s.Root = logical.Inline(s.Root, b.Inlined)
	}
	return s
}

func (b writer) top(d tree.DML) *logical.Statement {
	b.TopWith = withOf(d)
	if w := b.bindWrite(d); w != nil {
		return w
	}
	q, ok := d.(tree.Query)
	if !ok {
		panic(sqlerr.Unsupported("this statement cannot be planned", "Only queries, INSERT, UPSERT, UPDATE, DELETE and MERGE have plans."))
	}
	b.TopWith = q.Outer().With
	r := b.BindQuery(nil, q, nil)
	s := r.Statement("SELECT")
	s.ReadOnly = !b.Writes
	return s
}

// bindWrite binds a statement that writes; nil for another.
func (b writer) bindWrite(d tree.DML) *logical.Statement {
	switch st := d.(type) {
	case *tree.Insert:
		return b.bindInsert(st)
	case *tree.Update:
		return b.bindUpdate(st)
	case *tree.Delete:
		return b.bindDelete(st)
	case *tree.Merge:
		return b.bindMerge(st)
	}
	return nil
}

// withOf is the WITH clause of a statement that writes.
func withOf(d tree.DML) *tree.With {
	switch st := d.(type) {
	case *tree.Insert:
		return st.With
	case *tree.Update:
		return st.With
	case *tree.Delete:
		return st.With
	case *tree.Merge:
		return st.With
	}
	return nil
}
