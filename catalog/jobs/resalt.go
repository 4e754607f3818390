package jobs

import (
	"context"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// switchOver makes the copy the table's storage, once it holds every row: what the log still
// tells of is copied while nobody writes.
func (c *Runner) switchOver(ctx context.Context, j *Job) error {
	return j.end(ctx, func(ctx context.Context, h *versions.Held) error {
		if _, err := j.tableNow(); err != nil {
			return err
		}
		st, err := h.Still(ctx, j.table)
		if err != nil {
			return err
		}
		var s *catalog.Snapshot
		if err = j.drain(ctx, true); err == nil {
			s, err = h.Revise(ctx, j.table, j.switched)
		}
		if err != nil {
			st.End(ctx)
			return err
		}
		st.EndSeen(ctx, s.Version()) // nobody writes the copy while a server may read the old rows
		return nil
	})
}

// switched makes a table that its copy is to be of it.
func (j *Job) switched(t *catalog.Table, version uint64) (bool, error) {
	if t.Rewrite == nil || t.Rewrite.ID != j.id {
		return false, errRewriteGone()
	}
	cp, err := t.Rewritten()
	if err != nil {
		return false, err
	}
	cp.SwitchedAt, cp.WriteVersion = version, version
	cp.Retire(version, append(t.Parts(), t.Rewrite.Log)...)
	*t = *cp
	return true, nil
}

// UndoRewrite removes a rewrite that cannot be completed, though the statement may have been
// canceled. What fails is left to the next DDL statement, or to who takes the job over.
func (c *Runner) UndoRewrite(ctx context.Context, h *versions.Held, table, id uint32) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease)
	defer cancel()
	if err := c.RemoveRewrite(ctx, h, table, id); err != nil {
		c.Options.Logger.Warn("catalog: what a change of a table's salt has left is removed later", "table", table, "err", err)
	}
}

// RemoveRewrite takes a rewrite out of a table's descriptor, then drops its storage.
func (c *Runner) RemoveRewrite(ctx context.Context, h *versions.Held, table, id uint32) error {
	t := c.Snapshot().TableByID(table)
	if t == nil || t.Rewrite == nil || t.Rewrite.ID != id {
		return nil
	}
	gone := t.Rewrite.Copies()
	var err error
	if t.Rewrite.State == catalog.RewritePlanned || t.Rewrite.Refreshes() { // nobody writes its log
		_, err = h.Revise(ctx, table, func(t *catalog.Table, _ uint64) (bool, error) {
			if t.Rewrite == nil || t.Rewrite.ID != id {
				return false, nil
			}
			t.Rewrite = nil
			return true, nil
		})
		if errors.Is(err, versions.ErrMoved) {
			err = nil
		}
	} else {
		err = h.Quiesce(ctx, table, func(cp *catalog.Table) error {
			cp.Rewrite = nil
			return nil
		})
	}
	for _, name := range gone {
		if err == nil {
			err = h.DropStorage(ctx, name)
		}
	}
	if err == nil {
		c.ForgetJob(ctx, id)
	}
	return err
}

// DropRetired removes the storage tables that no statement reads any more. Others are left to
// LookAround.
func (c *Runner) DropRetired(ctx context.Context, h *versions.Held) error {
	newest := uint64(0)
	for _, t := range c.Snapshot().Reshaped() {
		for _, r := range t.Retired {
			newest = max(newest, r.Version)
		}
	}
	oldest, err := h.OldestRead(ctx, newest)
	if err != nil {
		return err
	}
	for _, t := range c.Snapshot().Reshaped() {
		gone := map[string]bool{}
		for _, r := range t.Retired {
			if r.Version > oldest {
				continue
			}
			if err := h.DropStorage(ctx, r.Physical); err != nil {
				return err
			}
			gone[r.Physical] = true
		}
		if len(gone) == 0 {
			continue
		}
		_, err := h.Revise(ctx, t.ID, func(t *catalog.Table, _ uint64) (bool, error) {
			t.Retired = slices.DeleteFunc(slices.Clone(t.Retired), func(r catalog.Retired) bool { return gone[r.Physical] })
			return true, nil
		})
		if err != nil && !errors.Is(err, versions.ErrMoved) {
			return err
		}
	}
	return nil
}

// SetRewrite changes the rewrite of that ID; 57014 where it is gone.
func SetRewrite(t *catalog.Table, id uint32, edit func(*catalog.Rewrite)) error {
	if t.Rewrite == nil || t.Rewrite.ID != id {
		return errGone(t)
	}
	r := *t.Rewrite
	edit(&r)
	t.Rewrite = &r
	return nil
}

// errGone is what a copy's job meets where the copy is gone.
func errGone(t *catalog.Table) error {
	if t != nil && t.Materialized != nil {
		return errRefreshGone()
	}
	return errRewriteGone()
}

func errRewriteGone() error {
	return sqlerr.New(sqlerr.QueryCanceled, "the change of the table's salt was canceled, or completed by another server").
		WithHint("Look at the table's SALT_BUCKETS, and repeat the statement if it is not as it should be.")
}
