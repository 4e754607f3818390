package jobs

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Filler writes the entries of rows into an index that the writes of others keep up
// meanwhile. It is for one goroutine.
type Filler interface {
	// Fill does so for the next rows of a span, limit at most, and gives their number and the
	// key of the last; fewer than limit are all. 23505 where a UNIQUE index cannot be. It may
	// be called again for rows that have their entries.
	Fill(ctx context.Context, span storage.Span, limit int) (n int, last []byte, err error)
}

// NewFiller makes the Filler of one of t's indexes.
type NewFiller func(ctx context.Context, t *catalog.Table, ix *catalog.Index) (Filler, error)

// buildIndex fills the index in and has it be read. The descriptor that each piece goes by is
// one that writes may go by: what changes the table waits for the pieces under way.
func (j *Job) buildIndex(ctx context.Context) error {
	newFiller := j.c.filler.Load()
	if newFiller == nil {
		return sqlerr.New(sqlerr.FeatureNotSupported, "indexes cannot be made here")
	}
	ok, err := j.bulkIndex(ctx)
	if err == nil && !ok {
		err = j.eachPiece(ctx, func() pieceFunc {
			var f Filler
			var of *catalog.Table
			return func(ctx context.Context, t *catalog.Table, sp jobSpan, limit int) (n int, last []byte, err error) {
				err = j.entering(ctx, t, func(ctx context.Context) error {
					if of != t {
						if f, err = (*newFiller)(ctx, t, t.IndexByID(j.id)); err != nil {
							return err
						}
						of = t
					}
					n, last, err = f.Fill(ctx, storage.Span{Start: sp.Start, End: sp.End}, limit)
					return err
				})
				return n, last, err
			}
		})
	}
	if err != nil {
		return err
	}
	return j.end(ctx, func(ctx context.Context, h *versions.Held) error {
		_, err := h.Revise(ctx, j.table, func(t *catalog.Table, _ uint64) (bool, error) {
			return true, SetIndex(t, j.id, func(ix *catalog.Index) { ix.State, ix.Build = catalog.IndexPublic, nil })
		})
		return err
	})
}

func errIndexGone() error {
	return sqlerr.New(sqlerr.QueryCanceled, "the making of the index was canceled, or completed by another server").
		WithHint("Look whether the table has the index, and repeat the statement if it has not.")
}

// SetIndex changes an index that is being made; 57014 where it is gone.
func SetIndex(t *catalog.Table, id uint32, edit func(*catalog.Index)) error {
	t.Indexes = slices.Clone(t.Indexes)
	ix := t.IndexByID(id)
	if ix == nil || ix.Build == nil {
		return errIndexGone()
	}
	edit(ix)
	return t.Finish()
}

// UndoIndex removes an index that could not be made, though the statement may have been
// canceled. What fails is left to the next DDL statement, or to who takes the job over.
func (c *Runner) UndoIndex(ctx context.Context, h *versions.Held, table, id uint32) {
	ctx, cancel := versions.Detached(ctx, c.Options.Lease)
	defer cancel()
	if !hasJob(c.Snapshot().TableByID(table), id) {
		return
	}
	if err := c.RemoveIndexes(ctx, h, table, []uint32{id}); err != nil {
		c.Options.Logger.Warn("catalog: an index that could not be made is removed later", "table", table, "err", err)
		return
	}
	c.ForgetJob(ctx, id)
}

// RemoveIndexes takes indexes out of a table's descriptor, and drops their storage once no statement
// reads it: see DropRetired.
func (c *Runner) RemoveIndexes(ctx context.Context, h *versions.Held, table uint32, ids []uint32) error {
	err := h.Quiesce(ctx, table, func(cp *catalog.Table) error {
		var gone []string
		cp.Indexes = slices.DeleteFunc(slices.Clone(cp.Indexes), func(ix catalog.Index) bool {
			if !slices.Contains(ids, ix.ID) {
				return false
			}
			gone = append(gone, ix.Physical)
			return true
		})
		cp.Retire(cp.WriteVersion, gone...)
		return nil
	})
	if err != nil {
		return err
	}
	return c.DropRetired(ctx, h)
}
