package txn

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// A store without atomic batches writes a row and the entries it has in indexes in three
// phases, any of which may be the last of a server that dies:
//
//	1  mark   each entry that the row gets or leaves has a mark added, named by the version
//	          that the write gives the row and by the row's name: its key without its salt,
//	          which stays the same while the table's salt changes
//	2  write  the row, by compare-and-set on the version that was read
//	3  settle an entry that the row has got its cells in place of the mark; one that it has
//	          left loses both. Where phase 2 was lost to another write, marks alone go.
//
// Who reads an entry with marks looks at the row (exec/entry). That no row ever lacks its
// entry, and that no entry without marks is of a row that has changed, holds by this:
//
//   - Phase 3 happens only where the write's own mark is still there (CheckAndMutate).
//   - Who marks an entry of a row as it was read removes the mark of the version that he
//     has read: the write of that version has succeeded, and its phase 3, should it come
//     later, must not call the entry settled any more.
//   - So that no mark of a version before that one is left, who gives a row a new version and
//     leaves an entry as it is (Entry.Kept) takes the mark of the version that he has read
//     over, where it stays there. It is not looked for in rows that are older than Grace.
//   - Who settles an entry that the row has got removes all marks of leaving: their writes
//     had read an older version, and are done or will fail.
//   - A mark of entering is removed by its own write only: the row that it will be of may
//     not exist yet, and then nobody else knows of it.
//
// Whose write has ended is told by the slot of the clock that has made the mark (Manager.Landed): its
// server is dead, or tells how old the oldest of its marks is that it does not know to have ended
// (MarksEnded). Else it is told by age (Grace): a write whose phase 2 has not begun within a
// quarter of that gives up. Nothing else compares clocks.
//
// The entry of a UNIQUE index is claimed by its first mark: it is written where the entry
// does not exist. Who finds it taken asks whose it is (Entry.Contest).

// Entry is one entry of an index that a change of a row is about.
type Entry struct {
	Table    string // of the index
	Key      []byte
	Content  []storage.Mutation // SetCells; nil where the row leaves the entry
	Was      bool               // the row had the entry, as it was read
	Kept     bool               // it has the same after the change; it Was, too
	Claim    bool               // no other row may have it
	Families []string           // that entries of the index hold content in
	Marker   storage.Col        // a cell that all content has
	Row      []byte             // the name of the row that gets or leaves it; valid as long as Key is
	// Contest is asked whose the entry is, of a Claim that has found it taken. It may clear
	// away what nobody needs. It is for many goroutines.
	Contest func(ctx context.Context, key, row []byte) (Standing, *storage.Cond, error)

	marked bool
}

// RowChange is a conditional write of a row with its entries.
type RowChange struct {
	Key     []byte
	Stamp   int64 // the row's version after it
	Seen    int64 // the version that was read; below 1 for none
	Entries []Entry
}

// Outcome is what became of phase 2 of a RowChange.
type Outcome uint8

const (
	OutcomeUnknown Outcome = iota
	OutcomeLost            // the row was not written, and will not be
	OutcomeWritten
)

// Standing says whose an entry is that a claim has found to exist.
type Standing uint8

const (
	EntryFree  Standing = iota // nobody's, now: claim it again
	EntryOwn                   // the row's own, while OwnCond holds
	EntryTaken                 // another row's
	EntryBusy                  // of a write that is under way
)

// StagedWrite is a batch of RowChanges.
type StagedWrite struct {
	Changes []RowChange
	// Write is phase 2; it sets Outcomes, which are unknown at first.
	Write    func(ctx context.Context) error
	Outcomes []Outcome
	// Calls counts the storage calls of phases 1 and 3.
	Calls atomic.Int64
}

// TakenError says that another row has an entry that a change claims. Nothing was written.
type TakenError struct{ Change, Entry int }

func (e *TakenError) Error() string { return "txn: the entry of a unique index is another row's" }

const (
	stagedParallel = 32
	claimTries     = 40 // of an entry that a write under way has: about 5 s
	keptTries      = 12 // looks at a mark, before it is taken over: a third of a second
)

// named is set in the version of a mark that has its row's name. Those of before have its
// key, under the salt that the table had, which was never changed.
const named = 1 << 63

// MarkOf names a mark: version, then the row's name.
func MarkOf(version int64, row []byte) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(row)), uint64(version)|named), row...)
}

// MendMark is the qualifier of the mark of who mends an entry; its value is a row's name.
var MendMark = []byte("mend")

// RowOfMark gives the name of the row that a mark is of; where salted, its key.
func RowOfMark(qualifier, value []byte) (row []byte, salted bool) {
	if string(qualifier) == string(MendMark) {
		return value, false
	}
	if len(qualifier) < 8 {
		return nil, false
	}
	return qualifier[8:], binary.BigEndian.Uint64(qualifier)&named == 0
}

func (e *Entry) family() string {
	if e.Content == nil {
		return storage.LeaveFamily
	}
	return storage.EnterFamily
}

// mark makes the mutations of phase 1 for an entry.
func (m *Manager) mark(c *RowChange, e *Entry) []storage.Mutation {
	muts := make([]storage.Mutation, 0, 4)
	if e.Was && c.Seen > 0 {
		was := MarkOf(c.Seen, e.Row)
		muts = append(muts,
			storage.Mutation{Op: storage.DeleteCell, Family: storage.EnterFamily, Qualifier: was},
			storage.Mutation{Op: storage.DeleteCell, Family: storage.LeaveFamily, Qualifier: was})
	}
	return append(muts,
		storage.Mutation{Op: storage.DeleteCell, Family: storage.LeaveFamily, Qualifier: MendMark},
		storage.Mutation{Op: storage.SetCell, Family: e.family(), Qualifier: MarkOf(c.Stamp, e.Row), Timestamp: m.clock.Next(e.Key, 0)})
}

// WriteStaged makes the changes of w. On a TakenError, and on any error of phase 1, no row is
// written; other errors are Write's, whose Outcomes say which rows are.
func (m *Manager) WriteStaged(ctx context.Context, w *StagedWrite) (err error) {
	m.marks.begin(w, m.clock)
	defer func() {
		unknown := err != nil && !errors.As(err, new(*TakenError)) || slices.Contains(w.Outcomes, OutcomeUnknown)
		m.marks.end(w, unknown, cmp.Or(m.Late, m.Grace))
	}()
	within, cancel := context.WithTimeout(ctx, m.Grace/4)
	defer cancel()
	if err := m.markAll(within, w); err != nil {
		for i := range w.Outcomes {
			w.Outcomes[i] = OutcomeLost
		}
		m.settleAll(ctx, w)
		return err
	}
	err = w.Write(within)
	m.settleAll(ctx, w)
	return err
}

// markAll is phase 1.
func (m *Manager) markAll(ctx context.Context, w *StagedWrite) error {
	rows := map[string][]storage.RowMutation{}
	var order []string
	type claim struct{ c, e int }
	var claims, kept []claim
	old := max(m.clock.Now()-m.Grace.Microseconds(), 0)
	for i := range w.Changes {
		c := &w.Changes[i]
		for j := range c.Entries {
			e := &c.Entries[j]
			switch {
			case e.Kept && c.Seen > old:
				kept = append(kept, claim{i, j})
				continue
			case e.Kept:
				continue
			case e.Claim && !e.Was:
				claims = append(claims, claim{i, j})
				continue
			}
			e.marked = true
			if rows[e.Table] == nil {
				order = append(order, e.Table)
			}
			rows[e.Table] = append(rows[e.Table], storage.RowMutation{Key: e.Key, Mutations: m.mark(c, e)})
		}
	}
	err := inParallel(len(claims), func(k int) error {
		c := &w.Changes[claims[k].c]
		e := &c.Entries[claims[k].e]
		calls, err := m.claim(ctx, c, e)
		claimed := err == nil
		w.Calls.Add(calls)
		if errors.Is(err, errTaken) {
			err = &TakenError{claims[k].c, claims[k].e}
		}
		// What is not known to have failed may have left its mark.
		e.marked = claimed || storage.CodeOf(err) == storage.CodeAmbiguous
		return err
	})
	if err != nil {
		return err
	}
	err = inParallel(len(kept), func(k int) error {
		c := &w.Changes[kept[k].c]
		e := &c.Entries[kept[k].e]
		calls, marked, err := m.takeOver(ctx, c, e)
		w.Calls.Add(calls)
		e.marked = marked
		return err
	})
	if err != nil {
		return err
	}
	return inParallel(len(order), func(k int) error {
		list := rows[order[k]]
		for part := range slices.Chunk(list, commitRowsPerCall) {
			w.Calls.Add(1)
			if err := m.store.Table(order[k]).Mutate(ctx, part, storage.WriteOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// takeOver puts the mark of a new version in the place of that of the version before it, in an
// entry that stays as it is; marked is false where there is none: the entry is settled. The
// write of before is given some time for that: a mark that was taken over by a write which then
// fails stays as long as one of a server that has died.
func (m *Manager) takeOver(ctx context.Context, c *RowChange, e *Entry) (calls int64, marked bool, err error) {
	take := storage.CondMutation{
		Key:  e.Key,
		Cond: storage.Cond{Op: storage.CellPresent, Family: storage.EnterFamily, Qualifier: MarkOf(c.Seen, e.Row)},
	}
	for try := 1; ; try++ {
		if try == keptTries {
			take.Then = m.mark(c, e)
		}
		calls++
		there, err := storage.CheckAndMutateAgain(ctx, m.store.Table(e.Table), &take)
		if !there || err != nil || try == keptTries {
			return calls, try == keptTries && (there || storage.CodeOf(err) == storage.CodeAmbiguous), err
		}
		if err := storage.Pause(ctx, min(try-1, 3), 5*time.Millisecond); err != nil {
			return calls, false, storage.CtxError(storage.OpCheckAndMutate, e.Table, err)
		}
	}
}

var errTaken = errors.New("taken")

// claim marks an entry that no other row may have.
func (m *Manager) claim(ctx context.Context, c *RowChange, e *Entry) (calls int64, err error) {
	table := m.store.Table(e.Table)
	cond := storage.Cond{Op: storage.RowAbsent}
	for try := 0; ; {
		calls++
		ok, err := storage.CheckAndMutateAgain(ctx, table, &storage.CondMutation{Key: e.Key, Cond: cond, Then: m.mark(c, e)})
		if ok || err != nil {
			return calls, err
		}
		cond = storage.Cond{Op: storage.RowAbsent}
		st, own, err := e.Contest(ctx, e.Key, c.Key)
		calls += 2
		switch {
		case err != nil:
			return calls, err
		case st == EntryTaken:
			return calls, errTaken
		case st == EntryOwn:
			cond = *own
		}
		if try++; try > claimTries {
			return calls, ErrSerialization
		}
		if st == EntryBusy {
			if err := storage.Pause(ctx, min(try-1, 4), 10*time.Millisecond); err != nil {
				return calls, storage.CtxError(storage.OpCheckAndMutate, e.Table, err)
			}
		}
	}
}

// settleAll is phase 3. What it cannot do is left to readers.
func (m *Manager) settleAll(ctx context.Context, w *StagedWrite) {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
	}
	type target struct {
		table string
		m     storage.CondMutation
	}
	var list []target
	for i := range w.Changes {
		c := &w.Changes[i]
		for j := range c.Entries {
			e := &c.Entries[j]
			if !e.marked || w.Outcomes[i] == OutcomeUnknown {
				continue
			}
			own := storage.Mutation{Op: storage.DeleteCell, Family: e.family(), Qualifier: MarkOf(c.Stamp, e.Row)}
			t := target{e.Table, storage.CondMutation{Key: e.Key, Cond: storage.Cond{Op: storage.CellPresent, Family: own.Family, Qualifier: own.Qualifier}}}
			switch {
			case w.Outcomes[i] == OutcomeWritten:
				t.m.Then = append(t.m.Then, own)
				if e.Content != nil {
					t.m.Then = append(t.m.Then, storage.Mutation{Op: storage.DeleteFamily, Family: storage.LeaveFamily})
				}
				for _, f := range e.Families {
					t.m.Then = append(t.m.Then, storage.Mutation{Op: storage.DeleteFamily, Family: f})
				}
				t.m.Then = append(t.m.Then, stamped(e.Content, c.Stamp)...)
			case e.Was:
				// Its mark may be all that stands for an entry which the row still has.
				t.m.Cond.Family, t.m.Cond.Qualifier = e.Marker.Family, e.Marker.Qualifier
				fallthrough
			default:
				t.m.Then = []storage.Mutation{own}
			}
			list = append(list, t)
		}
	}
	w.Calls.Add(int64(len(list)))
	_ = inParallel(len(list), func(k int) error {
		t := &list[k]
		_ = storage.Again(ctx, func() error { // it is made once, however often it is sent
			_, err := m.store.Table(t.table).CheckAndMutate(ctx, &t.m)
			return err
		}, storage.CodeAmbiguous)
		return nil
	})
}

// inParallel calls do for 0 to n-1, some at once, and gives the first error. After one no
// more are begun.
func inParallel(n int, do func(i int) error) error {
	if n == 1 {
		return do(0)
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
		slots = make(chan struct{}, stagedParallel)
	)
	for i := range n {
		slots <- struct{}{}
		mu.Lock()
		failed := first != nil
		mu.Unlock()
		if failed {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := guard.Run(func() error { return do(i) }); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = err
				}
			}
		})
	}
	wg.Wait()
	return first
}
