package live

import (
	"bytes"
	"context"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// Forward is the salt that new rows are to have.
type Forward struct {
	Options []catalog.OptionDef // SALT_BUCKETS, SALT_COLUMNS
	On      string              // the key column that grows; "" is the only one that may be meant
	// From gives where the epoch begins, a value of the column's type; nil is from now on.
	From func(types.T) (types.Datum, error)
	Pos  int
}

// OpenEpoch gives the rows of a table that are yet to come another SALT_BUCKETS or SALT_COLUMNS: those whose
// column is at least where the epoch begins, of which there are none (see catalog.Epochs). No row is moved.
// The storage of the epoch is made first; then writes of the table wait while the rows are looked at and the
// descriptor changes. What fails, or dies, leaves the table as it was, or with the epoch.
func (c *Catalog) OpenEpoch(ctx context.Context, name catalog.Name, ifExists bool, f *Forward) (catalog.Notices, error) {
	var notices catalog.Notices
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		p, err := c.planEpoch(ctx, name, ifExists, f)
		if p == nil || err != nil {
			return err
		}
		notices = p.notices
		next := p.table.StorageSpec(rowcodec.SplitKeys(p.epoch.SaltBuckets, p.table.Options.Splits))
		next.Name = p.epoch.Physical
		if err := h.CreateStorage(ctx, next); err != nil {
			return catalog.FromStorage(err, "creating the storage of the salt epoch")
		}
		c.reshaping.Lock() // a TRUNCATE that knows the storage of before ends
		defer c.reshaping.Unlock()
		st, err := h.Still(ctx, p.table.ID)
		if err != nil {
			return catalog.FromStorage(err, "waiting for the writes of the table")
		}
		if err := c.beginning(ctx, p); err != nil {
			st.End(ctx)
			c.discardEpoch(ctx, h, p.epoch.Physical)
			return err
		}
		s, err := h.Revise(ctx, p.table.ID, p.open)
		if err != nil {
			st.End(ctx) // storage that nothing names goes when the store is next opened
			return err
		}
		st.EndSeen(ctx, s.Version()) // nobody writes the epoch while a server may read without it
		notices.Add(sqlerr.Notice(sqlerr.SuccessfulCompletion, `rows of table "%s" whose %s is %s or more have the new salt`, p.table.Name, ident.Quote(p.column.Name), p.shown()))
		return nil
	})
	return notices, err
}

// epochPlan is an epoch that is to be opened.
type epochPlan struct {
	table   *catalog.Table
	column  *catalog.Column
	epoch   catalog.Epoch
	from    types.Datum // where given says so, or beginning has found it
	given   bool
	pos     int
	notices catalog.Notices
}

// shown is where the epoch begins, as a literal.
func (p *epochPlan) shown() string { return types.Format(p.column.Type, p.from, nil) }

// planEpoch works out what is asked for, and takes a name for the storage; nil where there is nothing to do.
func (c *Catalog) planEpoch(ctx context.Context, name catalog.Name, ifExists bool, f *Forward) (*epochPlan, error) {
	var p *epochPlan
	s, notices, err := c.Change(ctx, func(ch *change.Change) error {
		p = nil
		r, err := ch.FindAs("relation", name, "table", ifExists, ch.MustOwn)
		if err != nil {
			return err
		}
		if r == nil {
			return change.ErrNothing
		}
		t := r.(*catalog.Table)
		to, err := saltOf(t, f.Options)
		if err != nil {
			return err
		}
		if sameOptions(&to.Options, &t.Options) {
			return change.ErrNothing
		}
		if err := c.mayRewrite(t); err != nil {
			return err
		}
		plan := &epochPlan{table: t, pos: f.Pos}
		if plan.column, err = growing(t, f); err != nil {
			return err
		}
		if f.From != nil {
			if plan.from, err = f.From(plan.column.Type); err != nil {
				return err
			}
			plan.given = true
			if err := plan.check(t); err != nil {
				return err
			}
		}
		begins := plan.epoch.From
		id, err := ch.NewID()
		if err != nil {
			return err
		}
		plan.epoch = catalog.Epoch{
			Physical: catalog.PhysicalName(ch.Root.UID, t.Schema, t.Name, id, t.Distributed()), SaltBuckets: to.SaltBuckets, SaltColumns: to.SaltColumns,
		}
		after, trial := t.Clone(), *plan
		if trial.epoch.From = begins; begins == nil { // where it is to be: behind all that there are
			trial.epoch.From = bytes.Repeat([]byte{0xFF}, 16)
		}
		if err := trial.set(after); err != nil {
			return catalog.Positioned(err, f.Pos)
		}
		ch.Notices = append(ch.Notices, adviseSalt(after)...)
		p = plan
		cp := t.Clone() // as it is: the ID is used up
		ch.Set(cp, catalog.StatePublic)
		return cp.Finish()
	})
	if err != nil || p == nil {
		return nil, err
	}
	p.notices = notices
	if p.table = s.TableByID(p.table.ID); p.table == nil {
		return nil, versions.ErrMoved
	}
	return p, nil
}

// growing finds the key column that the epochs of a table are of.
func growing(t *catalog.Table, f *Forward) (*catalog.Column, error) {
	if f.On != "" && t.VisibleColumn(f.On) == nil {
		return nil, catalog.UndefinedColumn(t, f.On).At(f.Pos)
	}
	var list []*catalog.Column
	var names []string
	for _, i := range t.PrimaryKey {
		c := &t.Columns[i]
		switch {
		case t.Epochs != nil && c.ID != t.Epochs.Column || f.On != "" && c.Name != f.On || !c.Grows():
		default:
			list, names = append(list, c), append(names, ident.Quote(c.Name))
		}
	}
	switch {
	case len(list) == 1:
		return list[0], nil
	case len(list) > 1:
		return nil, sqlerr.Unsupported(`which column of the key of table "`+t.Name+`" grows is not known`,
			"Name it: SET SALT_BUCKETS = n FORWARD ON (column), one of "+strings.Join(names, ", ")+".").At(f.Pos)
	case t.Epochs != nil:
		return nil, sqlerr.Unsupported(`the salt epochs of table "`+t.Name+`" are of another column`,
			"Leave ON out, or leave FORWARD out: the rows are then copied into one layout while the table is read and written.").At(f.Pos)
	case f.On != "":
		return nil, sqlerr.Unsupported(`column "`+f.On+`" cannot say which rows are new`,
			"FORWARD needs a date, timestamp or integer column of the primary key. Leave FORWARD out: the rows are then copied while the table is read and written.").At(f.Pos)
	}
	return nil, sqlerr.Unsupported(`no column of the key of table "`+t.Name+`" grows`,
		"FORWARD needs a date, timestamp or integer column of the primary key. Leave it out: the rows are then copied while the table is read and written.").At(f.Pos)
}

// check refuses a beginning that cannot be: 22023.
func (p *epochPlan) check(t *catalog.Table) error {
	bad := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, format, args...).At(p.pos)
	}
	from, ok := rowcodec.EpochBound(&p.column.Store, p.from)
	if !ok || !finite(p.column.Type, p.from) {
		return bad(`a salt epoch cannot begin at %s: column "%s" has no such value`, p.shown(), p.column.Name)
	}
	if t.Epochs != nil {
		last := t.Epochs.List[len(t.Epochs.List)-1].From
		if string(from) <= string(last) {
			return bad("a salt epoch cannot begin at %s: the one before it begins there, or later", p.shown())
		}
	}
	p.epoch.From = from
	return nil
}

// set gives t the epoch.
func (p *epochPlan) set(t *catalog.Table) error {
	e := &catalog.Epochs{Column: p.column.ID}
	if t.Epochs != nil {
		e.List = append(e.List, t.Epochs.List...)
	} else {
		e.List = append(e.List, catalog.EpochOf(t))
	}
	e.List = append(e.List, p.epoch)
	t.SetEpochs(e)
	return t.Finish()
}

// open makes a table that the epoch is open in of it.
func (p *epochPlan) open(t *catalog.Table, version uint64) (bool, error) {
	if t.Physical != p.table.Physical || t.Rewrite != nil || len(t.Jobs()) > 0 {
		return false, versions.ErrMoved
	}
	t.SwitchedAt, t.WriteVersion = version, version
	return true, p.set(t)
}

// discardEpoch drops the storage of an epoch that was not opened; what fails is left to the next opening of
// the store.
func (c *Catalog) discardEpoch(ctx context.Context, h *versions.Held, physical string) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease/2)
	defer cancel()
	if err := h.DropStorage(ctx, physical); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
		c.Options.Logger.Warn("catalog: the storage of a salt epoch that was not opened is removed later", "table", physical, "err", err)
	}
}
