package spliced

import (
	"context"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

type store struct{ storage.Store }

// Wrap gives a store whose tables may have names of Name's. It can do what inner can. Closing it closes inner.
func Wrap(inner storage.Store) storage.Store { return &store{inner} }

func (s *store) Table(name string) storage.Table {
	if parts := Parts(name); parts != nil {
		return newTable(s.Store, name, parts)
	}
	return s.Store.Table(name)
}

func (s *store) Admin() storage.Admin { return admin{s.Store.Admin()} }

func (s *store) Compact(ctx context.Context, name string) error {
	for _, table := range Tables(name) {
		if err := s.Store.Compact(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) Batch() (storage.Batch, error) {
	b, err := s.Store.Batch()
	if err != nil {
		return nil, err
	}
	return batch{b}, nil
}

type batch struct{ storage.Batch }

func (b batch) Mutate(name string, rows []storage.RowMutation) error {
	parts := Parts(name)
	if parts == nil {
		return b.Batch.Mutate(name, rows)
	}
	var err error
	list := places(parts)
	for i := range rows {
		if list.of(rows[i].Key) < 0 {
			return noPart(storage.OpBatch, name, rows[i].Key)
		}
	}
	list.group(rows, func(i int, own []storage.RowMutation, _ []int) bool {
		err = b.Batch.Mutate(list[i].Table, own)
		return err == nil
	})
	return err
}

// admin does to all parts what is done to a table, one after another: what is broken off is done again.
type admin struct{ storage.Admin }

func (a admin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	return each(spec.Name, func(table string) error {
		own := spec
		own.Name = table
		return a.Admin.AlterTable(ctx, own)
	})
}

// DropTable answers CodeNotFound where none of the parts is there: an earlier call may have dropped some.
func (a admin) DropTable(ctx context.Context, name string) error {
	tables, gone := Tables(name), 0
	var missing error
	err := each(name, func(table string) error {
		err := a.Admin.DropTable(ctx, table)
		if storage.CodeOf(err) == storage.CodeNotFound {
			gone, missing, err = gone+1, err, nil
		}
		return err
	})
	if err == nil && gone == len(tables) {
		err = missing
	}
	return err
}

func (a admin) Truncate(ctx context.Context, name string) error {
	return each(name, func(table string) error { return a.Admin.Truncate(ctx, table) })
}

func each(name string, do func(table string) error) error {
	for _, table := range Tables(name) {
		if err := do(table); err != nil {
			return err
		}
	}
	return nil
}

// partial gathers what the parts answer to one Mutate.
type partial struct {
	failed storage.PartialError
	whole  error // of a part of which nothing was written
	all    bool  // nothing was written at all
}

// add takes a part's answer about rows, whose places among those of the call are at.
func (p *partial) add(rows int, at []int, err error) {
	var some *storage.PartialError
	switch {
	case err == nil:
		p.failed.Written, p.all = p.failed.Written+rows, false
	case errors.As(err, &some):
		p.failed.Written, p.all = p.failed.Written+some.Written, false
		for _, r := range some.Rows {
			p.failed.Rows = append(p.failed.Rows, storage.RowError{Index: at[r.Index], Err: r.Err})
		}
	default:
		if p.whole == nil {
			p.whole = err
		}
		of := &storage.Error{Op: storage.OpMutate, Code: storage.CodeOf(err), Msg: err.Error(), Cause: err}
		errors.As(err, &of)
		for _, i := range at {
			p.failed.Rows = append(p.failed.Rows, storage.RowError{Index: i, Err: of})
		}
	}
}

func (p *partial) err() error {
	switch {
	case len(p.failed.Rows) == 0:
		return nil
	case p.all && p.whole != nil:
		return p.whole
	}
	slices.SortFunc(p.failed.Rows, func(a, b storage.RowError) int { return a.Index - b.Index })
	return &p.failed
}
