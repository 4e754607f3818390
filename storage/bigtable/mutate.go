package bigtable

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
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
	err     *storage.Error
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
			t.send(ctx, part)
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
			e = &rowEntry{key: key, muts: rows[i].Mutations, size: len(key)}
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
		for i := range e.muts {
			m := &e.muts[i]
			e.size += len(m.Family) + len(m.Qualifier) + len(m.Value) + 24
		}
	}
	slices.SortFunc(entries, func(a, b *rowEntry) int { return strings.Compare(a.key, b.key) })
	return entries, nil
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
		muts += len(e.muts)
		size += e.size
		if i > 0 && (muts > storage.MaxMutationsPerRow || size > maxRequestBytes || i >= maxRequestRows) {
			return i
		}
	}
	return len(entries)
}

// send writes entries and leaves each one's error in it. What the service
// throttles is sent again after a pause, until the time of one request is over.
func (t *table) send(ctx context.Context, entries []*rowEntry) {
	c, err := t.begin(ctx, storage.OpMutate)
	if err != nil {
		var e *storage.Error
		if storage.CodeOf(err) == storage.CodeClosed {
			e = errClosed(storage.OpMutate, t.name)
		} else {
			e = storage.CtxError(storage.OpMutate, t.name, ctx.Err())
		}
		for _, entry := range entries {
			entry.err = e
		}
		return
	}
	defer c.end()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 4*time.Second) {
		t.request(c, entries)
		var throttled []*rowEntry
		wait := pause/2 + rand.N(pause)
		for _, e := range entries {
			if e.err != nil && e.err.Code == storage.CodeThrottled {
				throttled = append(throttled, e)
				wait = max(wait, e.err.RetryAfter)
			}
		}
		if len(throttled) == 0 {
			return
		}
		if deadline, ok := c.Deadline(); ok && time.Until(deadline) < wait {
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-c.Done():
			timer.Stop()
			return
		}
		entries = throttled
	}
}

// request makes one request. Mutations carry their timestamps, so the client
// may repeat them.
func (t *table) request(c *call, entries []*rowEntry) {
	keys := make([]string, len(entries))
	muts := make([]*bigtable.Mutation, len(entries))
	for i, e := range entries {
		e.err = nil
		keys[i], muts[i] = e.key, mutation(e.muts)
	}
	var errs []error
	var err error
	if len(entries) == 1 {
		err = t.t.Apply(c, keys[0], muts[0])
	} else {
		errs, err = t.t.ApplyBulk(c, keys, muts)
	}
	for i, e := range entries {
		switch {
		case err != nil:
			e.err = c.writeError(err)
		case errs != nil && errs[i] != nil:
			e.err = c.writeError(errs[i])
		}
	}
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

// mutation turns mutations into the client's.
func mutation(muts []storage.Mutation) *bigtable.Mutation {
	out := bigtable.NewMutation()
	for i := range muts {
		switch m := &muts[i]; m.Op {
		case storage.SetCell:
			out.Set(m.Family, string(m.Qualifier), bigtable.Timestamp(m.Timestamp), m.Value)
		case storage.DeleteCell:
			out.DeleteCellsInColumn(m.Family, string(m.Qualifier))
		case storage.DeleteFamily:
			out.DeleteCellsInFamily(m.Family)
		case storage.DeleteRow:
			out.DeleteRow()
		}
	}
	return out
}

// DeleteSpan implements storage.Table. A prefix, or all, is one request of the
// admin service; other spans are read and deleted row by row.
func (t *table) DeleteSpan(ctx context.Context, span storage.Span) error {
	const op = storage.OpDeleteSpan
	if err := storage.CheckSpan(op, t.name, span); err != nil {
		return err
	}
	if prefix, ok := prefixOf(span); ok {
		return t.s.adminCall(ctx, op, t.name, func(c *call) error {
			if len(prefix) == 0 {
				return t.s.admin.DropAllRows(c, t.name)
			}
			return t.s.admin.DropRowRange(c, t.name, string(prefix))
		})
	}
	sc, err := t.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{span}, KeysOnly: true})
	if err != nil {
		return err
	}
	defer sc.Close()
	return t.deleteRows(ctx, sc)
}

// prefixOf gives the prefix whose keys are exactly those of span.
func prefixOf(span storage.Span) ([]byte, bool) {
	if len(span.Start) == 0 {
		return nil, len(span.End) == 0
	}
	end := slices.Clone(span.Start)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return span.Start, slices.Equal(end, span.End)
}
