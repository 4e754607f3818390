package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
)

// atOnce is how many backups or tables are made at the same time.
const atOnce = 16

// cleanUp bounds the removal of what was made for nothing.
const cleanUp = time.Minute

// maxTables is how many tables one set may have: four digits count them.
const maxTables = 9999

// Set is a backup of a store: one of each of its tables.
type Set struct {
	Name   string // "saltsql-20261122t130501"
	Tables []bigtable.Backup
	Last   bigtable.Backup // without an ID where the set has none
	Of     int             // how many Tables there were
}

// Whole says that the set can be restored.
func (s *Set) Whole() bool {
	return s.Last.Ready && len(s.Tables) == s.Of && !slices.ContainsFunc(s.Tables, func(b bigtable.Backup) bool { return !b.Ready })
}

// All are the backups of the set, each with the moments when it was begun and ended: the last table is
// the last one.
func (s *Set) All() []bigtable.Backup {
	if s.Last.ID == "" {
		return s.Tables
	}
	return append(slices.Clone(s.Tables), s.Last)
}

// Bytes is how much the service keeps of it.
func (s *Set) Bytes() (n int64) {
	for _, b := range s.All() {
		n += b.Bytes
	}
	return n
}

// Span gives the moments between which its tables were read.
func (s *Set) Span() (from, to time.Time) {
	for _, b := range s.All() {
		if from.IsZero() || b.Start.Before(from) {
			from = b.Start
		}
		if b.End.After(to) {
			to = b.End
		}
	}
	return from, to
}

// ids of backups that belong to a set: its name, and which one it is.
var (
	ofTable = regexp.MustCompile(`^(saltsql-\d{8}t\d{6})-\d{4}$`)
	ofLast  = regexp.MustCompile(`^(saltsql-\d{8}t\d{6})-of-(\d{1,4})$`)
)

func nameAt(t time.Time) string { return t.UTC().Format("saltsql-20060102t150405") }

// List gives the sets that a cluster keeps, the oldest first; other backups are nobody's here.
func List(ctx context.Context, s *bigtable.Store, cluster string) ([]Set, error) {
	list, err := s.Backups(ctx, cluster)
	if err != nil {
		return nil, err
	}
	byName := map[string]*Set{}
	set := func(name string) *Set {
		if byName[name] == nil {
			byName[name] = &Set{Name: name}
		}
		return byName[name]
	}
	for _, b := range list {
		if m := ofTable.FindStringSubmatch(b.ID); m != nil {
			at := set(m[1])
			at.Tables = append(at.Tables, b)
		} else if m := ofLast.FindStringSubmatch(b.ID); m != nil {
			at := set(m[1])
			at.Last = b
			at.Of, _ = strconv.Atoi(m[2])
		}
	}
	sets := make([]Set, 0, len(byName))
	for _, at := range byName {
		slices.SortFunc(at.Tables, func(a, b bigtable.Backup) int { return cmp.Compare(a.ID, b.ID) })
		sets = append(sets, *at)
	}
	slices.SortFunc(sets, func(a, b Set) int { return cmp.Compare(a.Name, b.Name) })
	return sets, nil
}

// Find gives the set of a name, or for "" the newest that is whole.
func Find(ctx context.Context, s *bigtable.Store, cluster, name string) (*Set, error) {
	sets, err := List(ctx, s, cluster)
	if err != nil {
		return nil, err
	}
	for i := len(sets) - 1; i >= 0; i-- {
		at := &sets[i]
		switch {
		case name == "" && at.Whole():
			return at, nil
		case at.Name == name && name != "" && !at.Whole():
			return nil, fmt.Errorf("backup %s is not whole: of %d tables it has %d", name, at.Of+1, len(at.All()))
		case at.Name == name && name != "":
			return at, nil
		}
	}
	if name == "" {
		return nil, fmt.Errorf("cluster %s keeps no whole backup of this instance", cluster)
	}
	return nil, fmt.Errorf("cluster %s keeps no backup %s of this instance", cluster, name)
}

// Make backs tables up, and then last. What it has made is removed where it fails; killed, it
// leaves a set that is not whole. progress hears of each table.
func Make(ctx context.Context, s *bigtable.Store, cluster string, tables []string, last string, expires time.Time, progress func(done, of int)) (*Set, error) {
	if len(tables) > maxTables {
		return nil, fmt.Errorf("a store of %d tables is more than one backup takes: %d", len(tables), maxTables)
	}
	name := nameAt(time.Now())
	ids := make([]string, len(tables), len(tables)+1)
	for i := range tables {
		ids[i] = fmt.Sprintf("%s-%04d", name, i+1)
	}
	err := each(len(tables), func(i int) error {
		return s.CreateBackup(ctx, tables[i], cluster, ids[i], expires)
	}, func(done int) { progress(done, len(tables)+1) })
	if err == nil {
		ids = append(ids, fmt.Sprintf("%s-of-%d", name, len(tables)))
		err = s.CreateBackup(ctx, last, cluster, ids[len(tables)], expires)
	}
	if err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUp)
		defer cancel()
		return nil, errors.Join(err, remove(clean, s, cluster, ids))
	}
	progress(len(tables)+1, len(tables)+1)
	return Find(ctx, s, cluster, name)
}

// each calls do for 0 to n-1, some at a time, and told with how many are done. After an error none
// is begun any more; those under way come to their ends, for the service would go on with them.
func each(n int, do func(i int) error, told func(done int)) error {
	var failed atomic.Bool
	var mu sync.Mutex
	var done int
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i := range n {
		group.Go(guard.Func(func() error {
			if failed.Load() {
				return nil
			}
			if err := do(i); err != nil {
				failed.Store(true)
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			told(done)
			return nil
		}))
	}
	return group.Wait()
}

// remove removes those of the backups that are there.
func remove(ctx context.Context, s *bigtable.Store, cluster string, ids []string) error {
	return each(len(ids), func(i int) error {
		if err := s.DeleteBackup(ctx, cluster, ids[i]); storage.CodeOf(err) != storage.CodeNotFound {
			return err
		}
		return nil
	}, func(int) {})
}

// Prune removes all sets but the newest keep that are whole, and gives how many. Of one that is
// not whole, the last table goes first: it never looks whole again. Those that are newer than the
// newest whole one may be on their way, and stay.
func Prune(ctx context.Context, s *bigtable.Store, cluster string, keep int) (removed int, err error) {
	sets, err := List(ctx, s, cluster)
	if err != nil {
		return 0, err
	}
	whole := 0
	for i := len(sets) - 1; i >= 0; i-- {
		at := &sets[i]
		if at.Whole() {
			whole++
		}
		if whole == 0 || at.Whole() && whole <= keep {
			continue
		}
		if at.Last.ID != "" {
			if err := remove(ctx, s, cluster, []string{at.Last.ID}); err != nil {
				return removed, err
			}
		}
		ids := make([]string, len(at.Tables))
		for i := range at.Tables {
			ids[i] = at.Tables[i].ID
		}
		if err := remove(ctx, s, cluster, ids); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
