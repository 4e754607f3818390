package bind

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/bind/viewtarget"
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
	b.Write = func(b *query.Binder, d tree.DML) (*logical.Statement, error) { return writer{Binder: b}.bindWrite(d) }
	return writer{Binder: b}
}

// Statement binds a query, INSERT, UPSERT, UPDATE or DELETE. Errors are *sqlerr.Error
// with positions in the text given to dialect.Parse.
func Statement(ctx *query.Context, stmt *tree.Statement) (*logical.Statement, error) {
	b := newWriter(ctx, stmt.NumParams)
	s, err := b.statement(stmt.DML)
	if err != nil {
		return nil, err
	}
	return b.Finish(s)
}

func (b writer) statement(d tree.DML) (*logical.Statement, error) {
	s, err := b.top(d)
	if err != nil {
		return nil, err
	}
	if s.Root, err = b.Withs(0, s.Root); err != nil { // of a statement that writes
		return nil, err
	}
	if b.Inlined != nil {
		s.Root = logical.Inline(s.Root, b.Inlined)
	}
	return s, nil
}

func (b writer) top(d tree.DML) (*logical.Statement, error) {
	b.TopWith = withOf(d)
	if w, err := b.bindWrite(d); w != nil || err != nil {
		return w, err
	}
	q, ok := d.(tree.Query)
	if !ok {
		return nil, sqlerr.Unsupported("this statement cannot be planned", "Only queries, INSERT, UPSERT, UPDATE, DELETE and MERGE have plans.")
	}
	b.TopWith = q.Outer().With
	r, err := b.BindQuery(nil, q, nil)
	if err != nil {
		return nil, err
	}
	s := r.Statement("SELECT")
	s.ReadOnly = !b.Writes
	return s, nil
}

// bindWrite binds a statement that writes; nil for another.
func (b writer) bindWrite(d tree.DML) (*logical.Statement, error) {
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
	return nil, nil
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
