package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// Rewrite is a copy of a table's rows in the making, under another salt, while the table is
// read and written:
//
//	planned   the storage tables of copy and log are made; nobody touches them
//	copying   every write of the table puts its rows' keys into a change log; the job copies
//	          all rows, piece by piece, and reads those of the log again
//	(switch)  writes wait; the job does what the log still holds; the table's storage is the
//	          copy from then on
//	retired   the old rows stay until no statement reads them
//
// Statements read the old rows until the switch, and the copy has one writer: the job. So no
// two writes of the copy can overtake each other, whoever dies where, and a row is right in
// the copy because it was read after the last write of it that the log tells of. A write
// stands in the log before it is made, and is forgotten there only once it has ended and its
// row was read again; writes whose server died are looked at when nobody writes. That is all
// that is asked of a store: neither several rows at once, nor locks, nor clocks.
//
// Between planned and copying, and at the switch, no write is under way: see quiesce.
// What was planned before is refused then (40001). A reader that has not seen the switch
// reads rows that nobody has changed since, for writes wait until all servers have.
type Rewrite struct {
	// ID names the job: its row, and saltsql.jobs.
	ID       uint32
	State    RewriteState
	Physical string // the copy
	Log      string

	SaltBuckets int
	SaltColumns []string
	// Rate is how many rows are copied in a second, at most; 0 is no limit.
	Rate    int
	Started time.Time
}

// RewriteState says how far a Rewrite is.
type RewriteState uint8

const (
	RewritePlanned RewriteState = iota
	RewriteCopying
)

var rewriteStateNames = []string{"planned", "copying"}

// String names the state as saltsql.jobs does.
func (s RewriteState) String() string { return rewriteStateNames[s] }

// Retired is a storage table that statements planned under a catalog older than Version
// may still read.
type Retired struct {
	Physical string `json:"physical"`
	Version  uint64 `json:"version"`
}

// storages lists the storage tables of a table beside its own and its indexes'.
func (t *Table) storages() (names []string) {
	if r := t.Rewrite; r != nil {
		names = append(names, r.Physical, r.Log)
	}
	for _, r := range t.Retired {
		names = append(names, r.Physical)
	}
	return names
}

// rewritten is the table as the switch leaves it.
func (t *Table) rewritten() (*Table, error) {
	cp, r := t.clone(), t.Rewrite
	cp.Physical, cp.Options.SaltBuckets, cp.Options.SaltColumns = r.Physical, r.SaltBuckets, r.SaltColumns
	cp.Rewrite = nil
	return cp, cp.Finish()
}

// ChangeLog names the change log that writes of a storage table are put into; "" is none.
func (c *Catalog) ChangeLog(physical string) string { return c.Snapshot().logs[physical] }

// Resalt gives a table another SALT_BUCKETS or SALT_COLUMNS while it is read and written. What
// fails, or is canceled, leaves the table as it was; what dies is completed by another server,
// or when the store is opened again. rate bounds the rows copied in a second; 0 does not.
func (c *Catalog) Resalt(ctx context.Context, name Name, ifExists bool, defs []OptionDef, rate int) (Notices, error) {
	var notices Notices
	var job *job
	err := c.withLease(ctx, func(h *held) (err error) {
		var t *Table
		if t, notices, err = c.planRewrite(ctx, name, ifExists, defs, rate); err != nil || t == nil {
			return err
		}
		if job, err = c.takeJob(ctx, t.Rewrite.ID, t.ID); err == nil && job != nil {
			err = c.beginRewrite(ctx, h, t)
		}
		if err != nil {
			c.undoRewrite(ctx, h, t.ID, t.Rewrite.ID)
			job.release(ctx)
		}
		return err
	})
	if err != nil || job == nil {
		return notices, err
	}
	return notices, c.runRewrite(ctx, job)
}

// planRewrite notes in the descriptor what is to be; nil where there is nothing to do.
func (c *Catalog) planRewrite(ctx context.Context, name Name, ifExists bool, defs []OptionDef, rate int) (*Table, Notices, error) {
	var id uint32
	s, notices, err := c.change(ctx, func(ch *change) error {
		id = 0
		r, err := ch.find(name, "table", ifExists)
		if err != nil {
			return err
		}
		if r == nil {
			return errNoChange
		}
		t := r.(*Table)
		to := optionSet{Options: t.Options}
		for _, d := range defs {
			opt, err := findOption(d)
			if err != nil {
				return err
			}
			if err := opt.set(&to, d); err != nil {
				return err
			}
		}
		if to.SaltBuckets == 0 {
			to.SaltColumns = nil
		}
		if sameOptions(&to.Options, &t.Options) {
			return errNoChange
		}
		if err := t.mayRewrite(); err != nil {
			return err
		}
		cp := t.clone()
		rw := &Rewrite{SaltBuckets: to.SaltBuckets, SaltColumns: to.SaltColumns, Rate: rate, Started: c.opts.Now()}
		var log uint32
		if rw.ID, err = ch.newID(); err != nil {
			return err
		}
		if log, err = ch.newID(); err != nil {
			return err
		}
		rw.Physical = physicalName(ch.root.UID, t.Schema, t.Name, rw.ID)
		rw.Log = physicalName(ch.root.UID, t.Schema, t.Name+"_log", log)
		cp.Rewrite = rw
		after, err := cp.rewritten()
		if err != nil {
			return positioned(err, name.Pos)
		}
		ch.notices = append(ch.notices, adviseSalt(after)...)
		id = t.ID
		ch.set(cp, public)
		return cp.Finish()
	})
	if err != nil || id == 0 {
		return nil, notices, err
	}
	return s.TableByID(id), notices, nil
}

// mayRewrite refuses what cannot be copied: 55006, 0A000.
func (t *Table) mayRewrite() error {
	switch {
	case t.Rewrite != nil:
		return t.beingRewritten("ALTER TABLE")
	case t.Adopted:
		return sqlerr.Unsupported(`the salt of table "`+t.Name+`", which was attached, cannot be changed`,
			"Create a table with the salt you want and fill it with UPSERT INTO ... SELECT.")
	}
	return nil
}

// beingRewritten refuses a statement that would change what is being copied: 55006.
func (t *Table) beingRewritten(doing string) error {
	return sqlerr.New(sqlerr.ObjectInUse, `cannot %s "%s" because its rows are being copied to change their salt`, doing, t.Name).
		WithHint("Wait until the job has ended (SELECT * FROM saltsql.jobs), or cancel it with SELECT saltsql.cancel_job(%d).", t.Rewrite.ID)
}

// beginRewrite makes the storage tables and has writes fill the log.
func (c *Catalog) beginRewrite(ctx context.Context, h *held, t *Table) error {
	after, err := t.rewritten()
	if err != nil {
		return err
	}
	splits := rowcodec.SplitKeys(after.Options.SaltBuckets, after.Options.Splits)
	for _, spec := range []storage.TableSpec{after.storageSpec(splits), changelog.Spec(t.Rewrite.Log)} {
		err := h.admin(ctx, func(ctx context.Context) error {
			err := c.store.Admin().CreateTable(ctx, spec)
			if storage.CodeOf(err) == storage.CodeAlreadyExists {
				return nil // an attempt whose answer was lost: nobody else uses this name
			}
			return err
		})
		if err != nil {
			return fromStorage(err, "creating the storage of the rows' copy")
		}
	}
	c.reshaping.Lock() // a TRUNCATE that found no rewrite ends
	defer c.reshaping.Unlock()
	_, err = c.quiesce(ctx, h, t.ID, func(cp *Table) error {
		return cp.setRewrite(t.Rewrite.ID, func(r *Rewrite) { r.State = RewriteCopying })
	})
	return err
}

// setRewrite changes the rewrite of that ID; 40001 where it is gone.
func (t *Table) setRewrite(id uint32, edit func(*Rewrite)) error {
	if t.Rewrite == nil || t.Rewrite.ID != id {
		return errRewriteGone()
	}
	r := *t.Rewrite
	edit(&r)
	t.Rewrite = &r
	return nil
}

func errRewriteGone() error {
	return sqlerr.New(sqlerr.QueryCanceled, "the change of the table's salt was canceled, or completed by another server").
		WithHint("Look at the table's SALT_BUCKETS, and repeat the statement if it is not as it should be.")
}

// switchOver makes the copy the table's storage, once it holds every row.
func (c *Catalog) switchOver(ctx context.Context, j *job) error {
	return c.withLease(ctx, func(h *held) error {
		stop := h.keep(ctx)
		defer stop()
		if _, err := j.tableNow(); err != nil {
			return err
		}
		if !c.shared() {
			release, err := c.holdSoon(ctx, j.table)
			if err != nil {
				return err
			}
			defer release()
			_, err = c.switchHeld(ctx, j)
			return err
		}
		if err := c.freeze(ctx, h, j.table); err != nil {
			return err
		}
		version, err := c.switchHeld(ctx, j)
		if err != nil {
			c.thaw(ctx, j.table)
			return err
		}
		// Nobody writes the copy while a server may still read the old rows. Where this does
		// not come to its end, the next DDL statement does it.
		ctx, cancel := detached(ctx, 2*c.opts.Lease)
		defer cancel()
		if err := c.awaitServers(ctx, h, version); err != nil {
			return err
		}
		c.thaw(ctx, j.table)
		return nil
	})
}

// switchHeld is switchOver while nobody writes. It gives the version of the catalog from
// which on the copy is read.
func (c *Catalog) switchHeld(ctx context.Context, j *job) (uint64, error) {
	if err := j.drain(ctx, true); err != nil {
		return 0, err
	}
	s, _, err := c.change(ctx, func(ch *change) error {
		t := ch.TableByID(j.table)
		if t == nil || t.Rewrite == nil || t.Rewrite.ID != j.id {
			return errRewriteGone()
		}
		cp, err := t.rewritten()
		if err != nil {
			return err
		}
		cp.SwitchedAt = ch.version + 1
		cp.Retired = append(slices.Clone(t.Retired), Retired{t.Physical, cp.SwitchedAt}, Retired{t.Rewrite.Log, cp.SwitchedAt})
		ch.set(cp, public)
		cp.WriteVersion = cp.Version
		return cp.Finish()
	})
	if err != nil {
		return 0, err
	}
	return s.version, nil
}

// holdSoon holds a table's writes. A write that waits for another's row may take long to
// end: others should not wait with it, so that the hold is given up and tried again.
func (c *Catalog) holdSoon(ctx context.Context, id uint32) (release func(), err error) {
	for wait := 200 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		short, cancel := context.WithTimeout(ctx, wait)
		release, err = c.gate.hold(short, id)
		cancel()
		if err == nil || ctx.Err() != nil {
			return release, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, fromStorage(err, "waiting for the writes of the table")
		}
	}
}

// undoRewrite removes a rewrite that cannot be completed, though the statement may have been
// canceled. What fails is left to the next DDL statement, or to who takes the job over.
func (c *Catalog) undoRewrite(ctx context.Context, h *held, table, id uint32) {
	ctx, cancel := detached(ctx, c.opts.Lease)
	defer cancel()
	if err := c.removeRewrite(ctx, h, table, id); err != nil {
		c.opts.Logger.Warn("catalog: what a change of a table's salt has left is removed later", "table", table, "err", err)
	}
}

func (c *Catalog) removeRewrite(ctx context.Context, h *held, table, id uint32) error {
	t := c.Snapshot().TableByID(table)
	if t == nil || t.Rewrite == nil || t.Rewrite.ID != id {
		return nil
	}
	gone := []string{t.Rewrite.Physical, t.Rewrite.Log}
	var err error
	if t.Rewrite.State == RewritePlanned { // nobody writes its log
		_, _, err = c.change(ctx, func(ch *change) error {
			t := ch.TableByID(table)
			if t == nil || t.Rewrite == nil || t.Rewrite.ID != id {
				return errNoChange
			}
			cp := t.clone()
			cp.Rewrite = nil
			ch.set(cp, public)
			return cp.Finish()
		})
	} else {
		_, err = c.quiesce(ctx, h, table, func(cp *Table) error {
			cp.Rewrite = nil
			return nil
		})
	}
	for _, name := range gone {
		if err == nil {
			err = c.dropPhysical(ctx, h, name)
		}
	}
	if err == nil {
		c.deleteRows(ctx, []string{jobKey(id)})
	}
	return err
}

// dropRetired removes the storage tables that no statement reads any more.
func (c *Catalog) dropRetired(ctx context.Context, h *held) error {
	newest := uint64(0)
	for _, t := range c.Snapshot().reshaped {
		for _, r := range t.Retired {
			newest = max(newest, r.Version)
		}
	}
	if c.shared() { // which forgets those that died
		if err := c.awaitServers(ctx, h, newest); err != nil {
			return err
		}
	}
	oldest, err := c.oldestRead(ctx)
	if err != nil {
		return err
	}
	for _, t := range c.Snapshot().reshaped {
		gone := map[string]bool{}
		for _, r := range t.Retired {
			if r.Version > oldest {
				continue
			}
			if err := c.dropPhysical(ctx, h, r.Physical); err != nil {
				return err
			}
			gone[r.Physical] = true
		}
		if len(gone) == 0 {
			continue
		}
		_, _, err := c.change(ctx, func(ch *change) error {
			t := ch.TableByID(t.ID)
			if t == nil {
				return errNoChange
			}
			cp := t.clone()
			cp.Retired = slices.DeleteFunc(slices.Clone(t.Retired), func(r Retired) bool { return gone[r.Physical] })
			ch.set(cp, public)
			return cp.Finish()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
