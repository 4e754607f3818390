package txn

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/changelog"
)

// LogWrites has the keys of rows that are written from now on put into a change log, where
// logOf names one for their table; "" is none. A write that began while a table had no log
// must end before somebody relies on the log: catalog.Enter is for that.
func (m *Manager) LogWrites(logOf func(table string) string) {
	m.logOf = logOf
	if m.whole != nil {
		m.whole.LogWrites(logOf)
	}
}

// log names the change log of a table.
func (m *Manager) log(table string) string {
	if m.logOf == nil {
		return ""
	}
	return m.logOf(table)
}

// announce puts rows into their table's change log before they are written. ended says
// afterwards that they are, or that none of them will be: not where that is not known.
func (m *Manager) announce(ctx context.Context, log string, n int, key func(i int) []byte) (ended func(), err error) {
	entries := changelog.Append(nil, n, key, m.clock.Now(), false)
	if len(entries) == 0 {
		return func() {}, nil
	}
	if err := m.logs.begin(ctx, log, entries); err != nil {
		return nil, err
	}
	return func() { m.logs.end(log, entries) }, nil
}

// unsure says that a write which failed so may be made later.
func unsure(err error) bool {
	return err != nil && !storage.IsRetryable(err)
}

// logBatch puts the rows of a batch into their change log with it.
func (m *Manager) logBatch(batch storage.Batch, table string, rows []storage.RowMutation) error {
	log := m.log(table)
	if log == "" {
		return nil
	}
	return batch.Mutate(log, changelog.Append(nil, len(rows), func(i int) []byte { return rows[i].Key }, m.clock.Now(), true))
}

// logRows announces the rows of a commit that goes row by row.
func (m *Manager) logRows(ctx context.Context, ws []tableWrites) (ended func(), err error) {
	var all []func()
	for _, w := range ws {
		log := m.log(w.table)
		if log == "" {
			continue
		}
		done, err := m.announce(ctx, log, len(w.rows), func(i int) []byte { return w.rows[i].Key })
		if err != nil {
			return nil, err
		}
		all = append(all, done)
	}
	return func() {
		for _, done := range all {
			done()
		}
	}, nil
}

// logged is a table of the store with its change log, where it has one.
func (m *Manager) logged(t storage.Table, name string) storage.Table {
	if log := m.log(name); log != "" {
		return &loggedTable{reads: reads{t}, m: m, log: log}
	}
	return t
}

// loggedTable announces single writes of a table that has a change log.
type loggedTable struct {
	reads
	m   *Manager
	log string
}

var _ storage.Table = (*loggedTable)(nil)

// Mutate implements storage.Table.
func (t *loggedTable) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	ended, err := t.m.announce(ctx, t.log, len(rows), func(i int) []byte { return rows[i].Key })
	if err != nil {
		return err
	}
	if err := t.of.Mutate(ctx, rows, opts); err != nil {
		return err
	}
	ended()
	return nil
}

// CheckAndMutate implements storage.Table.
func (t *loggedTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	ended, err := t.m.announce(ctx, t.log, 1, func(int) []byte { return m.Key })
	if err != nil {
		return false, err
	}
	ok, err := t.of.CheckAndMutate(ctx, m)
	if !unsure(err) {
		ended()
	}
	return ok, err
}

// Increment implements storage.Table.
func (t *loggedTable) Increment(ctx context.Context, key []byte, col storage.Col, delta int64) (int64, error) {
	return t.of.Increment(ctx, key, col, delta)
}

// Clock implements storage.Table.
func (t *loggedTable) Clock(ctx context.Context, key []byte, col storage.Col) (time.Time, error) {
	return t.of.Clock(ctx, key, col)
}

// DeleteSpan implements storage.Table. Whoever has a log of the table lets nobody call it.
func (t *loggedTable) DeleteSpan(ctx context.Context, span storage.Span) error {
	return t.of.DeleteSpan(ctx, span)
}

// Announcer notes the rows of several writes outside of a transaction in their table's change log,
// at once, on a store that is not atomic over rows.
type Announcer struct {
	m     *Manager
	log   string
	table storage.Table
}

// Announcer gives that of a table; nil where writes need none.
func (m *Manager) Announcer(table string) *Announcer {
	log := m.log(table)
	if m.atomic || log == "" {
		return nil
	}
	return &Announcer{m, log, m.store.Table(table)}
}

// Announce announces conditional writes. They are made through the table it gives, and ended is
// called when all were answered, with the first error.
func (a *Announcer) Announce(ctx context.Context, ms []storage.CondMutation) (through storage.Table, ended func(error), err error) {
	done, err := a.m.announce(ctx, a.log, len(ms), func(i int) []byte { return ms[i].Key })
	if err != nil {
		return nil, nil, err
	}
	return a.table, func(err error) {
		if err == nil {
			done()
		}
	}, nil
}
