package spliced

import (
	"context"
	"errors"

	"github.com/saltsql/saltsql/storage"
)

// load is a load of each part.
type load struct {
	name   string
	places placeList
	parts  []storage.Load
}

func (s *store) Load(ctx context.Context, name string, unique bool) (storage.Load, error) {
	parts := Parts(name)
	if parts == nil {
		return s.Store.Load(ctx, name, unique)
	}
	l := &load{name: name, places: places(parts)}
	for _, p := range parts {
		part, err := s.Store.Load(ctx, p.Table, unique)
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		l.parts = append(l.parts, part)
	}
	return l, nil
}

func (s *store) CommitLoads(ctx context.Context, loads []storage.Load, opts storage.WriteOptions) error {
	var all []storage.Load
	for _, l := range loads {
		if own, ok := l.(*load); ok {
			all = append(all, own.parts...)
		} else {
			all = append(all, l)
		}
	}
	err := s.Store.CommitLoads(ctx, all, opts)
	var dup *storage.DuplicateRowError
	if !errors.As(err, &dup) {
		return err
	}
	for _, l := range loads {
		own, _ := l.(*load)
		for i := 0; own != nil && i < len(own.places); i++ {
			if p := &own.places[i]; p.Table == dup.Table {
				return &storage.DuplicateRowError{Table: own.name, Key: p.up(nil, dup.Key)}
			}
		}
	}
	return err
}

func (l *load) Add(ctx context.Context, rows []storage.RowMutation) (err error) {
	l.places.group(rows, func(i int, own []storage.RowMutation, _ []int) bool {
		err = l.parts[i].Add(ctx, own)
		return err == nil
	})
	return err
}

func (l *load) Has(key []byte) (has, known bool) {
	i := l.places.of(key)
	if i < 0 {
		return false, true
	}
	return l.parts[i].Has(l.places[i].down(key))
}

func (l *load) Prepare(ctx context.Context) error {
	for _, p := range l.parts {
		if err := p.Prepare(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *load) Close() error {
	var errs []error
	for _, p := range l.parts {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
