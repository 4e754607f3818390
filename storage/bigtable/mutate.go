package bigtable

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/storage"
)

// A MutateRows request carries at most 100,000 mutations on the service, and
// these for good latency. A larger row goes alone.
const (
	maxRequestRows  = 2000
	maxRequestBytes = 4 << 20
)

// rowEntry is what one Mutate call does to one row.
type rowEntry struct {
	key     string
	muts    []storage.Mutation
	indexes []int // of the rows given
	size    int
	err     *storage.Error // nil: written

	answered bool // the last request about it had a word for it
}

// Mutate implements storage.Table.
func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	const op = storage.OpMutate
	if err := storage.CheckRows(op, t.name, rows); err != nil {
		return err
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return err
	}
	defer c.end()
	if len(rows) == 0 {
		return nil
	}
	entries, err := t.mergeRows(rows)
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(t.s.config.Parallel)
	for rest := entries; len(rest) > 0; {
		n := requestLen(rest)
		part := rest[:n]
		rest = rest[n:]
		group.Go(func() error {
			if err := guard(op, t.name, func() error { t.send(ctx, part); return nil }); err != nil {
				fail(part, err)
			}
			return nil
		})
	}
	group.Wait()
	return outcome(entries)
}

// mergeRows makes one entry of all rows of one key, since the service applies
// the entries of a request in any order; sorted by key, so that a request
// touches few tablets.
func (t *table) mergeRows(rows []storage.RowMutation) ([]*rowEntry, error) {
	byKey := make(map[string]*rowEntry, len(rows))
	entries := make([]*rowEntry, 0, len(rows))
	for i := range rows {
		key := string(rows[i].Key)
		e := byKey[key]
		if e == nil {
			e = &rowEntry{key: key, muts: rows[i].Mutations}
			byKey[key] = e
			entries = append(entries, e)
		} else {
			e.muts = append(slices.Clip(e.muts), rows[i].Mutations...)
		}
		e.indexes = append(e.indexes, i)
	}
	for _, e := range entries {
		e.muts = afterDeleteRow(e.muts)
		if len(e.indexes) > 1 {
			merged := []storage.RowMutation{{Key: []byte(e.key), Mutations: e.muts}}
			if err := storage.CheckRows(storage.OpMutate, t.name, merged); err != nil {
				return nil, err
			}
		}
		e.size = sizeOf([]byte(e.key), e.muts)
	}
	slices.SortFunc(entries, func(a, b *rowEntry) int { return strings.Compare(a.key, b.key) })
	return entries, nil
}

// sizeOf is about what mutations of a row take in a request, in bytes.
func sizeOf(key []byte, muts []storage.Mutation) int {
	n := len(key)
	for i := range muts {
		m := &muts[i]
		n += len(m.Family) + len(m.Qualifier) + len(m.Value) + 24
		if m.Latest {
			n += len(m.Family) + len(m.Qualifier) + 24
		}
	}
	return n
}

// afterDeleteRow leaves out what a later DeleteRow undoes.
func afterDeleteRow(muts []storage.Mutation) []storage.Mutation {
	for i := len(muts) - 1; i > 0; i-- {
		if muts[i].Op == storage.DeleteRow {
			return muts[i:]
		}
	}
	return muts
}

// requestLen gives how many entries the next request takes.
func requestLen(entries []*rowEntry) int {
	muts, size := 0, 0
	for i, e := range entries {
		muts += storage.CountMutations(e.muts)
		size += e.size
		if i > 0 && (muts > storage.MaxMutationsPerRow || size > maxRequestBytes || i >= maxRequestRows) {
			return i
		}
	}
	return len(entries)
}

// outcome tells a Mutate call's result from its entries.
func outcome(entries []*rowEntry) error {
	p := &storage.PartialError{}
	ambiguous := false
	for _, e := range entries {
		if e.err == nil {
			p.Written += len(e.indexes)
			continue
		}
		ambiguous = ambiguous || e.err.Code == storage.CodeAmbiguous
		for _, i := range e.indexes {
			p.Rows = append(p.Rows, storage.RowError{Index: i, Err: e.err})
		}
	}
	switch {
	case len(p.Rows) == 0:
		return nil
	case p.Written == 0 && !ambiguous && !slices.ContainsFunc(entries, func(e *rowEntry) bool { return e.err.Code != entries[0].err.Code }):
		return entries[0].err
	}
	slices.SortFunc(p.Rows, func(a, b storage.RowError) int { return cmp.Compare(a.Index, b.Index) })
	return p
}

// mutations gives mutations as the service has them.
func mutations(muts []storage.Mutation) []*bigtablepb.Mutation {
	out := make([]*bigtablepb.Mutation, 0, len(muts))
	add := func(m *bigtablepb.Mutation) { out = append(out, m) }
	for i := range muts {
		switch m := &muts[i]; m.Op {
		case storage.SetCell:
			if m.Latest {
				add(deleteCells(m, &bigtablepb.TimestampRange{StartTimestampMicros: m.Timestamp}))
			}
			add(setCell(m))
		case storage.DeleteCell:
			add(deleteCells(m, nil))
		case storage.DeleteFamily:
			add(&bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_DeleteFromFamily_{DeleteFromFamily: &bigtablepb.Mutation_DeleteFromFamily{FamilyName: m.Family}}})
		case storage.DeleteRow:
			add(&bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_DeleteFromRow_{DeleteFromRow: &bigtablepb.Mutation_DeleteFromRow{}}})
		}
	}
	return out
}

func setCell(m *storage.Mutation) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: &bigtablepb.Mutation_SetCell{
		FamilyName: m.Family, ColumnQualifier: m.Qualifier, TimestampMicros: m.Timestamp, Value: m.Value}}}
}

func deleteCells(m *storage.Mutation, of *bigtablepb.TimestampRange) *bigtablepb.Mutation {
	return &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_DeleteFromColumn_{DeleteFromColumn: &bigtablepb.Mutation_DeleteFromColumn{
		FamilyName: m.Family, ColumnQualifier: m.Qualifier, TimeRange: of}}}
}
