package usertype

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// A constraint is added to a domain that columns are of in three steps, so that no value that
// violates it is missed and writes hardly wait:
//
//	pending   what is written from then on is tested; nobody sees the constraint as one that holds
//	read      table by table: no write of before is under way any more, and all rows are read
//	settled   the constraint holds
//
// What fails, or dies, leaves none: repair takes away what is pending.

// DomainTest says whether a table has a value in one of its columns, by ID, that violates the
// CHECK of a domain, or where that is nil is NULL.
type DomainTest func(ctx context.Context, t *catalog.Table, column int, of *types.Domain, check *types.DomainCheck) (violated bool, err error)

// constrain carries the steps out. begin makes the constraint pending and gives the name of the
// CHECK, "" for NOT NULL; settle has it hold, at once where no column is of the domain, and undo
// takes it away again.
func (ts Types) constrain(ctx context.Context, name catalog.Name, test DomainTest, begin func(*change.Change, *catalog.Type) (check string, err error), settle, undo func(t *catalog.Type, check string)) error {
	return ts.keeper.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		var id uint32
		var check string
		s, _, err := ts.keeper.Change(ctx, func(ch *change.Change) error {
			id = 0
			t, err := findDomain(ch, name)
			if err != nil {
				return err
			}
			if check, err = begin(ch, t); err != nil {
				return err
			}
			if keptIn(ch, t) == nil {
				settle(t, check)
			} else {
				id = t.ID
			}
			ch.Set(t, catalog.StatePublic)
			return nil
		})
		if err != nil || id == 0 {
			return err
		}
		err = ts.testDomain(ctx, h, s, id, check, test)
		end := settle
		if err != nil {
			end = undo
		}
		after, cancel := versions.Detached(ctx, ts.keeper.Options.Lease/2)
		defer cancel()
		_, _, ended := ts.keeper.Change(after, func(ch *change.Change) error {
			old := ch.TypeByID(id)
			if old == nil || old.Domain == nil {
				return change.ErrNothing
			}
			t := editable(old)
			end(t, check)
			ch.Set(t, catalog.StatePublic)
			return nil
		})
		if err == nil {
			err = ended
		}
		return err
	})
}

// findDomain resolves the domain of an ALTER DOMAIN, as a copy: 42809 for a type that is none.
func findDomain(ch *change.Change, name catalog.Name) (*catalog.Type, error) {
	t, err := ch.FindType(name, ch.MustOwn)
	switch {
	case err != nil:
		return nil, notAltered(ch, name, err)
	case t.Domain == nil:
		return nil, change.NotDomain(t)
	}
	return editable(t), nil
}

// keptIn lists the tables with columns of a domain, or of one over it.
func keptIn(ch *change.Change, t *catalog.Type) (tables []uint32) {
	for _, o := range ch.Tables() {
		for i := range o.Columns {
			if o.Columns[i].Type.Over(t.ID) {
				tables = append(tables, o.ID)
				break
			}
		}
	}
	return tables
}

// testDomain reads all columns that are of a domain when the constraint is pending.
func (ts Types) testDomain(ctx context.Context, h *versions.Held, s *catalog.Snapshot, id uint32, name string, test DomainTest) error {
	ch := change.New(ctx, s)
	for _, table := range keptIn(ch, ch.TypeByID(id)) {
		err := h.Quiesce(ctx, table, func(*catalog.Table) error { return nil })
		now := ts.keeper.Snapshot()
		t, d := now.TableByID(table), now.TypeByID(id)
		if t == nil || d == nil {
			continue // dropped meanwhile
		}
		if err != nil {
			return err
		}
		var check *types.DomainCheck
		if i := checkOf(d, name); name != "" && i >= 0 {
			check = &d.Domain.Checks[i]
		}
		for i := range t.Columns {
			col := &t.Columns[i]
			if !col.Type.Over(id) {
				continue
			}
			violated, err := test(ctx, t, col.ID, d.Domain, check)
			switch {
			case err != nil:
				return err
			case violated && check == nil:
				return sqlerr.New(sqlerr.NotNullViolation, `column "%s" of table "%s" contains null values`, col.Name, t.Name).WithColumn(t.Name, col.Name).InSchema(t.Schema)
			case violated:
				return sqlerr.New(sqlerr.CheckViolation, `column "%s" of table "%s" contains values that violate the new constraint`, col.Name, t.Name).WithColumn(t.Name, col.Name).InSchema(t.Schema)
			}
		}
	}
	return nil
}

// IsPending says that a domain has a constraint whose statement has not ended.
func IsPending(d catalog.Descriptor) bool {
	t, ok := d.(*catalog.Type)
	return ok && t.Domain != nil && (t.Domain.NotNullPending || slices.ContainsFunc(t.Domain.Checks, isPendingCheck))
}

func isPendingCheck(k types.DomainCheck) bool { return k.Pending }

// WithoutPending copies a domain without what a server that died has left pending.
func WithoutPending(old *catalog.Type) *catalog.Type {
	t := editable(old)
	t.Domain.NotNullPending = false
	t.Domain.Checks = slices.DeleteFunc(t.Domain.Checks, isPendingCheck)
	return t
}
