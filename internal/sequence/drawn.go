package sequence

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Host is what the functions ask of the session.
type Host interface {
	Snapshot() *catalog.Snapshot
	Identity() *identity.Identity
	// ReadOnly says that the transaction takes no writes.
	ReadOnly() bool
	// Keeper gives the catalog that an object is in: the database's, or that of temporary tables.
	Keeper(id uint32) *live.Catalog
}

// Drawn is what a session has drawn from sequences. The zero value has drawn nothing.
type Drawn struct {
	values   map[uint32]int64 // what it drew last, by the sequence's ID
	last     uint32           // the sequence it drew from last; 0 is none
	restarts Restarts         // by the block that is open
}

// find finds the sequence that a regclass stands for.
func find(h Host, id uint32) (*catalog.Sequence, error) {
	switch r := h.Snapshot().ByID(id).(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "could not open relation with OID %d", id)
	case *catalog.Sequence:
		return r, nil
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", r.RelName())
	}
}

// NextVal takes up to n values of a sequence.
func (d *Drawn) NextVal(ctx context.Context, h Host, id uint32, n int) (versions.Values, error) {
	return d.draw(ctx, h, id, n, (*live.Catalog).NextVal)
}

// NextBlock takes a block of n values.
func (d *Drawn) NextBlock(ctx context.Context, h Host, id uint32, n int) (versions.Values, error) {
	return d.draw(ctx, h, id, n, (*live.Catalog).NextBlock)
}

// draw takes values of a sequence; currval is the last of them.
func (d *Drawn) draw(ctx context.Context, h Host, id uint32, n int, take func(*live.Catalog, context.Context, uint32, int) (versions.Values, error)) (versions.Values, error) {
	q, err := find(h, id)
	if err != nil {
		return versions.Values{}, err
	}
	if err := h.Identity().SequenceRight(q, acl.Usage|acl.Update); err != nil {
		return versions.Values{}, err
	}
	if h.ReadOnly() {
		return versions.Values{}, sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute nextval() in a read-only transaction")
	}
	var v versions.Values
	if r, ok := d.restarts[q.ID]; ok {
		v, err = d.take(r, n)
	} else {
		v, err = take(h.Keeper(q.ID), ctx, q.ID, n)
	}
	if err == nil {
		d.note(q.ID, v.First+v.Step*int64(v.Count-1))
		d.last = q.ID
	}
	return v, err
}

func (d *Drawn) note(id uint32, value int64) {
	if d.values == nil {
		d.values = map[uint32]int64{}
	}
	d.values[id] = value
}

// CurrVal is what was last drawn of a sequence: 55000 where nothing was.
func (d *Drawn) CurrVal(h Host, id uint32) (int64, error) {
	q, err := find(h, id)
	if err != nil {
		return 0, err
	}
	if err := h.Identity().SequenceRight(q, acl.Usage|acl.Select); err != nil {
		return 0, err
	}
	n, ok := d.values[q.ID]
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "currval of sequence %q is not yet defined in this session", q.Name)
	}
	return n, nil
}

// LastVal is what was last drawn of any: 55000 where nothing was, or the sequence is gone.
func (d *Drawn) LastVal(h Host) (int64, error) {
	if d.last == 0 || h.Snapshot().ByID(d.last) == nil {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "lastval is not yet defined in this session")
	}
	q, err := find(h, d.last)
	if err == nil {
		err = h.Identity().SequenceRight(q, acl.Usage|acl.Select)
	}
	return d.values[d.last], err
}

// SetVal is setval.
func (d *Drawn) SetVal(ctx context.Context, h Host, id uint32, value int64, called bool) error {
	q, err := find(h, id)
	if err != nil {
		return err
	}
	if err := h.Identity().SequenceRight(q, acl.Update); err != nil {
		return err
	}
	if h.ReadOnly() {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute setval() in a read-only transaction")
	}
	if r, ok := d.restarts[q.ID]; ok {
		if err = versions.InBounds(q, value); err == nil {
			r.now = versions.SeqValue{Last: value, Called: called}
			d.put(r)
		}
	} else {
		err = h.Keeper(q.ID).SetVal(ctx, q.ID, value, called)
	}
	if err != nil {
		return err
	}
	if called {
		d.note(q.ID, value)
	}
	return nil
}

// Forget forgets what was drawn: DISCARD SEQUENCES.
func (d *Drawn) Forget() { *d = Drawn{restarts: d.restarts} }

// State is the last value of a sequence, and whether it has been given out.
func (d *Drawn) State(ctx context.Context, h Host, id uint32) (last int64, called bool, err error) {
	q, err := find(h, id)
	if err != nil {
		return 0, false, err
	}
	if r, ok := d.restarts[q.ID]; ok {
		return r.now.Last, r.now.Called, nil
	}
	return h.Keeper(q.ID).LastValue(ctx, q.ID)
}

// Serial is pg_get_serial_sequence: the name of the sequence that a column of r draws from; "" for
// none.
func Serial(h Host, r catalog.Relation, column string) (string, error) {
	t, ok := r.(*catalog.Table)
	if !ok {
		return "", nil
	}
	c := t.ColumnByName(column)
	if c == nil {
		return "", sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", column, t.Name)
	}
	for _, q := range h.Snapshot().OwnedSequences(t.ID) {
		if q.OwnerColumn == c.ID {
			return ident.Quote(q.Schema) + "." + ident.Quote(q.Name), nil
		}
	}
	return "", nil
}
