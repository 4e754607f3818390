package live

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// AlterHooks are what ALTER TABLE needs and the catalog cannot do.
type AlterHooks struct {
	// ValidateCheck reads the rows of t, the table as the statement leaves it,
	// and answers 23514 where one violates the condition. Without it ADD CONSTRAINT … CHECK is taken on an empty
	// table only.
	ValidateCheck func(ctx context.Context, t *catalog.Table, check catalog.Check) error
}

// alteration is one ALTER TABLE in the making: the descriptor as it becomes,
// and what must hold of the rows for it.
type alteration struct {
	ch        *change.Change
	old, t    *catalog.Table
	needEmpty error           // what to say where there are rows; nil: rows do not matter
	noNulls   []int           // IDs of columns that must not hold NULL
	checks    []catalog.Check // conditions that must hold
	values    []string
	makeWhole bool // the rows: see Catalog.makeWhole
	written   bool // the rows are written anew, with the values of new columns
	// gone are the storage tables of indexes that the statement drops.
	gone []string
}

// AlterTable applies actions to one table, all or none.
//
// Rows are tested, and families added, before the descriptor changes; what
// makes the store forget sooner is done after it. So whatever fails, every row
// a statement may see is there.
//
// On a store that several servers share, writes to the table are frozen on all
// of them meanwhile (see versions.Still), so that the tests hold for every row. On a store
// that one process has to itself they wait in memory. A transaction that
// holds rows of a table whose constraints grew fails at COMMIT (see Enter).
func (c *Catalog) AlterTable(ctx context.Context, name catalog.Name, ifExists bool, actions []AlterAction, hooks AlterHooks) (catalog.Notices, error) {
	return c.alterStored(ctx, altered{name: name, kind: "table", ifExists: ifExists, actions: actions}, hooks)
}

// altered is what is altered, and how.
type altered struct {
	name     catalog.Name
	kind     string // "table", "materialized view"
	ifExists bool
	actions  []AlterAction
}

func (c *Catalog) alterStored(ctx context.Context, what altered, hooks AlterHooks) (catalog.Notices, error) {
	if c.Drafts() {
		return c.alterDraft(ctx, what, hooks)
	}
	var notices catalog.Notices
	err := c.WithLease(ctx, func(ctx context.Context, h *versions.Held) error {
		for {
			ns, err := c.alterOnce(ctx, h, what, hooks)
			if errors.Is(err, versions.ErrMoved) {
				continue
			}
			notices = ns
			return err
		}
	})
	return notices, err
}

func (c *Catalog) alterOnce(ctx context.Context, h *versions.Held, what altered, hooks AlterHooks) (catalog.Notices, error) {
	actions := what.actions
	s, err := c.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	dry, err := alter(change.New(ctx, c.Over(s)), what)
	if err != nil || dry.t == nil {
		return dry.ch.Notices, err
	}
	still := dry.makeWhole || tightens(actions) || len(dry.gone) > 0 || !c.AtOnce() && needsFreeze(actions)
	if !still || dry.ch.UnlessEmpty() != nil {
		return c.alterTested(ctx, h, what, hooks, dry)
	}
	st, err := h.Still(ctx, dry.old.ID)
	if err != nil {
		return nil, err
	}
	defer st.End(ctx)
	now, err := alter(change.New(ctx, c.Over(c.Snapshot())), what)
	if err != nil {
		return nil, err
	}
	if now.t == nil || now.old.ID != dry.old.ID {
		return nil, versions.ErrMoved
	}
	return c.alterTested(ctx, h, what, hooks, now)
}

// alterTested holds the rows against dry, which is what the alteration comes
// to on the present descriptor, and commits it if that one is still present.
func (c *Catalog) alterTested(ctx context.Context, h *versions.Held, what altered, hooks AlterHooks, dry *alteration) (catalog.Notices, error) {
	old := dry.old
	if old.Rewrite != nil && !specHolds(old.StorageSpec(nil), dry.t.StorageSpec(nil)) {
		return nil, beingRewritten(old, "ALTER TABLE") // the copy's storage is as the table's was
	}
	if err := c.testRows(ctx, dry, hooks); err != nil {
		return nil, err
	}
	wide := widest(old, dry.t).StorageSpec(nil)
	if !specHolds(old.StorageSpec(nil), wide) {
		if err := c.alterPhysical(ctx, h, wide); err != nil {
			return nil, catalog.FromStorage(err, "altering the table's storage")
		}
	}
	var done *alteration
	after, notices, err := c.Change(ctx, func(ch *change.Change) error {
		a, err := alter(ch, what)
		if err != nil {
			return err
		}
		if a.t == nil || a.old.ID != old.ID || a.old.Version != old.Version {
			return versions.ErrMoved
		}
		done = a
		a.expire(c.Options.Now().UnixMicro())
		if old.Frozen || a.makeWhole || tightens(what.actions) || len(a.gone) > 0 {
			a.t.Frozen, a.t.WriteVersion = false, a.t.Version
		}
		if len(a.gone) > 0 {
			a.t.Retire(a.t.Version, a.gone...)
		}
		return ch.UnlessEmpty()
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := versions.Detached(ctx, c.Options.Lease)
	defer cancel()
	c.DeleteRows(ctx, done.values)
	if len(done.gone) > 0 {
		if err := c.jobs.DropRetired(ctx, h); err != nil {
			c.Options.Logger.Warn("catalog: the storage of a dropped index is removed later", "table", done.t.Name, "err", err)
		}
	}
	if done.ch.DropsStored {
		if err := c.finishDropping(ctx, h, after); err != nil {
			c.Options.Logger.Warn("catalog: the storage of a dropped materialized view is removed later", "err", err)
		}
	}
	if narrow := done.t.StorageSpec(nil); !specHolds(wide, narrow) {
		if err := c.alterPhysical(ctx, h, narrow); err != nil {
			c.Options.Logger.Warn("catalog: the store keeps cells longer than the table's options say, until the catalog is next opened", "table", done.t.Name, "err", err)
		}
	}
	return notices, nil
}

// widest gives the new descriptor with the longer TTL and the larger number of
// versions of the two, and the families of both.
func widest(old, t *catalog.Table) *catalog.Table {
	w := *t
	w.Options.Versions = max(old.Options.Versions, t.Options.Versions)
	if old.Options.TTL == 0 || t.Options.TTL != 0 && old.Options.TTL > t.Options.TTL {
		w.Options.TTL = old.Options.TTL
	}
	return &w
}

// alter works the actions out. Where IF EXISTS finds nothing, t is nil.
func alter(ch *change.Change, what altered) (*alteration, error) {
	actions := what.actions
	a := &alteration{ch: ch}
	r, err := ch.Find(what.name, what.kind, what.ifExists)
	if err != nil || r == nil {
		return a, err
	}
	a.old = r.(*catalog.Table)
	a.t = a.old.Clone()
	for i, act := range actions {
		if err := a.apply(act); err != nil {
			return a, err
		}
		if i+1 < len(actions) && addsColumn(act) && addsColumn(actions[i+1]) {
			continue // a table of many columns is finished once after them, not after each
		}
		if err := a.t.Finish(); err != nil {
			return a, err
		}
	}
	a.setTTL(slices.ContainsFunc(actions, func(act AlterAction) bool {
		set, ok := act.(SetOptions)
		return ok && slices.ContainsFunc(set.Options, func(d catalog.OptionDef) bool { return strings.EqualFold(d.Name, "TTL") })
	}))
	if a.t.Options.TTL > 0 && len(a.t.Indexes) > 0 {
		return a, sqlerr.Unsupported(`a TTL on table "`+a.t.Name+`", which has indexes, is not supported`,
			"Drop the indexes, or delete old rows by a statement.")
	}
	if len(actions) > 0 {
		ch.Set(a.t, catalog.StatePublic)
	}
	return a, nil
}

func addsColumn(act AlterAction) bool { _, is := act.(AddColumn); return is }

func (a *alteration) apply(act AlterAction) error {
	switch act := act.(type) {
	case AddColumn:
		return a.addColumn(&act)
	case DropColumn:
		return a.dropColumn(&act)
	case RenameColumn:
		return a.renameColumn(&act)
	case RenameTable:
		return a.renameTable(&act)
	case SetSchema:
		return a.setSchema(&act)
	case SetDefault:
		return a.setDefault(&act)
	case SetNotNull:
		return a.setNotNull(&act)
	case DropNotNull:
		return a.dropNotNull(&act)
	case AlterType:
		return a.alterType(&act)
	case SetOptions:
		return a.setOptions(act.Options)
	case ResetOptions:
		return a.resetOptions(act.Names)
	case AddCheck:
		if act.Bind != nil {
			if err := act.Bind(a.t, &act.Check); err != nil {
				return err
			}
		}
		if err := a.t.AddChecks([]catalog.Check{act.Check}, act.Pos); err != nil {
			return err
		}
		if !act.Check.NotValid {
			a.checks = append(a.checks, a.t.Checks[len(a.t.Checks)-1])
		}
		return nil
	case AddForeignKey:
		return addForeignKeys(a.ch, a.t, []catalog.ForeignKeyDef{act.Def})
	case AddPrimaryKey:
		return a.addPrimaryKey(&act)
	case DropConstraint:
		return a.dropConstraint(&act)
	case RenameConstraint:
		return a.renameConstraint(&act)
	case ValidateConstraint:
		return a.validateConstraint(&act)
	case AddIdentity:
		return a.addIdentity(&act)
	case SetIdentity:
		return a.setIdentity(&act)
	case DropIdentity:
		return a.dropIdentity(&act)
	case DropExpression:
		return a.dropExpression(&act)
	case OfNone:
		return a.ofNone(&act)
	}
	return sqlerr.Internal(nil, "an action of ALTER TABLE is a %T", act)
}
