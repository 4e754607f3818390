package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// What a session draws from a sequence it remembers for currval and lastval,
// by the sequence's ID: another sequence of the same name is another.

// sequence finds the sequence that a regclass stands for.
func (s *Session) sequence(id uint32) (*catalog.Sequence, error) {
	switch r := s.snapshot().ByID(id).(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "could not open relation with OID %d", id)
	case *catalog.Sequence:
		return r, nil
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", r.RelName())
	}
}

func (f sessionFuncs) NextVal(ctx context.Context, id uint32, n int) (first, step int64, got int, err error) {
	v, err := f.s.draw(ctx, id, n, (*live.Catalog).NextVal)
	return v.First, v.Step, v.Count, err
}

func (f sessionFuncs) NextBlock(ctx context.Context, id uint32, n int) (first int64, err error) {
	v, err := f.s.draw(ctx, id, n, (*live.Catalog).NextBlock)
	return v.First, err
}

// draw takes values of a sequence; currval is the last of them.
func (s *Session) draw(ctx context.Context, id uint32, n int, take func(*live.Catalog, context.Context, uint32, int) (versions.Values, error)) (versions.Values, error) {
	q, err := s.sequence(id)
	if err != nil {
		return versions.Values{}, err
	}
	if err := s.identity().SequenceRight(q, acl.Usage|acl.Update); err != nil {
		return versions.Values{}, err
	}
	if s.tx.readOnly(s) {
		return versions.Values{}, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute nextval() in a read-only transaction")
	}
	v, err := take(s.keeperOf(q.ID), ctx, q.ID, n)
	if err == nil {
		s.drawn[q.ID], s.lastSeq = v.First+v.Step*int64(v.Count-1), q.ID
	}
	return v, err
}

func (f sessionFuncs) RowIDs(n int) (first, step int64) { return f.s.db.rowIDs.Take(n) }

func (f sessionFuncs) CurrVal(id uint32) (int64, error) {
	q, err := f.s.sequence(id)
	if err != nil {
		return 0, err
	}
	if err := f.s.identity().SequenceRight(q, acl.Usage|acl.Select); err != nil {
		return 0, err
	}
	n, ok := f.s.drawn[q.ID]
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "currval of sequence %q is not yet defined in this session", q.Name)
	}
	return n, nil
}

func (f sessionFuncs) LastVal() (int64, error) {
	s := f.s
	if s.lastSeq == 0 || s.snapshot().ByID(s.lastSeq) == nil {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "lastval is not yet defined in this session")
	}
	q, err := s.sequence(s.lastSeq)
	if err == nil {
		err = s.identity().SequenceRight(q, acl.Usage|acl.Select)
	}
	return s.drawn[s.lastSeq], err
}

func (f sessionFuncs) SetVal(ctx context.Context, id uint32, value int64, called bool) error {
	s := f.s
	q, err := s.sequence(id)
	if err != nil {
		return err
	}
	if err := s.identity().SequenceRight(q, acl.Update); err != nil {
		return err
	}
	if s.tx.readOnly(s) {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute setval() in a read-only transaction")
	}
	if err := s.keeperOf(q.ID).SetVal(ctx, q.ID, value, called); err != nil {
		return err
	}
	if called {
		s.drawn[q.ID] = value
	}
	return nil
}

func (f sessionFuncs) SequenceState(ctx context.Context, id uint32) (last int64, called bool, err error) {
	q, err := f.s.sequence(id)
	if err != nil {
		return 0, false, err
	}
	return f.s.keeperOf(q.ID).LastValue(ctx, q.ID)
}

func (f sessionFuncs) SerialSequence(table, column string) (string, error) {
	r, err := f.s.relation(table)
	if err != nil {
		return "", err
	}
	t, ok := r.(*catalog.Table)
	if !ok {
		return "", nil
	}
	c := t.ColumnByName(column)
	if c == nil {
		return "", sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", column, t.Name)
	}
	for _, q := range f.s.snapshot().OwnedSequences(t.ID) {
		if q.OwnerColumn == c.ID {
			return ident.Quote(q.Schema) + "." + ident.Quote(q.Name), nil
		}
	}
	return "", nil
}

func (s *Session) forgetSequences() {
	clear(s.drawn)
	s.lastSeq = 0
}
