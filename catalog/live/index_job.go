package live

import (
	"context"

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

// FillIndexes says how indexes are filled. Without, none can be made, and one whose server
// has died is left to a server that can.
func (c *Catalog) FillIndexes(f NewFiller) { c.filler.Store(&f) }

// BuildOptions are what is asked of the making of an index.
type BuildOptions struct {
	Command string
	Rate    int // rows filled in a second, at most; 0 is no limit
	PID     int // of the session that waits
}

// buildIndex fills the index in and has it be read. The descriptor that each piece goes by is
// one that writes may go by: what changes the table waits for the pieces under way.
func (j *job) buildIndex(ctx context.Context) error {
	newFiller := j.c.filler.Load()
	if newFiller == nil {
		return sqlerr.New(sqlerr.FeatureNotSupported, "indexes cannot be made here")
	}
	err := j.eachPiece(ctx, func() pieceFunc {
		var f Filler
		var of *catalog.Table
		return func(ctx context.Context, t *catalog.Table, sp jobSpan, limit int) (int, []byte, error) {
			ctx, leave, err := j.c.Enter(ctx, t)
			if sqlerr.CodeOf(err) == sqlerr.SerializationFailure {
				err = versions.ErrMoved
			}
			if err != nil {
				return 0, nil, err
			}
			j.entered.Add(1)
			defer leave()
			if of != t {
				if f, err = (*newFiller)(ctx, t, t.IndexByID(j.id)); err != nil {
					return 0, nil, err
				}
				of = t
			}
			return f.Fill(ctx, storage.Span{Start: sp.Start, End: sp.End}, limit)
		}
	})
	if err != nil {
		return err
	}
	_, _, err = j.c.change(ctx, func(ch *change) error {
		t := ch.TableByID(j.table)
		if t == nil {
			return errIndexGone()
		}
		cp := t.Clone()
		ch.set(cp, catalog.StatePublic)
		return setIndex(cp, j.id, func(ix *catalog.Index) { ix.State, ix.Build = catalog.IndexPublic, nil })
	})
	return err
}

func errIndexGone() error {
	return sqlerr.New(sqlerr.QueryCanceled, "the making of the index was canceled, or completed by another server").
		WithHint("Look whether the table has the index, and repeat the statement if it has not.")
}
