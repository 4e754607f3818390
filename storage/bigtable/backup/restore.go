package backup

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
)

// notesTable, in the target, says what a restore that was killed has begun. Its rows:
//
//	"set"         n:v   the set's name
//	"table" NAME  n:v   "begun", then "done"
//
// A table that was begun did not exist then; so a restore that goes on may drop it.
const notesTable = "saltsql_restore"

var noteCol = storage.Col{Family: "n", Qualifier: []byte("v")}

const (
	setKey      = "set"
	tablePrefix = "table "
	begun, done = "begun", "done"
)

// notes are those of a restore.
type notes struct {
	table storage.Table
	state map[string]string
}

// openNotes reads the notes; nil where there are none.
func openNotes(ctx context.Context, to *bigtable.Store, there []storage.TableSpec, set string) (*notes, error) {
	if !has(there, notesTable) {
		return nil, nil
	}
	n := &notes{to.Table(notesTable), map[string]string{}}
	scan, err := n.table.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		return nil, err
	}
	defer scan.Close()
	var b storage.RowBatch
	for {
		err := scan.Next(&b)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range b.Len() {
			v, _ := b.Value(i, noteCol.Family, noteCol.Qualifier)
			n.state[string(b.Key(i))] = string(v)
		}
	}
	if was := n.state[setKey]; was != set && was != "" {
		return nil, fmt.Errorf("a restore of another backup, %s, is under way in the target: end it with --at %s, or drop its tables and then %s", was, was, notesTable)
	}
	return n, nil
}

func makeNotes(ctx context.Context, to *bigtable.Store, set string) (*notes, error) {
	err := to.Admin().CreateTable(ctx, storage.TableSpec{Name: notesTable, Families: []storage.FamilySpec{{Name: noteCol.Family}}})
	if err != nil && storage.CodeOf(err) != storage.CodeAlreadyExists {
		return nil, err
	}
	n := &notes{to.Table(notesTable), map[string]string{}}
	return n, n.set(ctx, setKey, set)
}

func (n *notes) set(ctx context.Context, key, value string) error {
	return n.table.Mutate(ctx, []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: noteCol.Family, Qualifier: noteCol.Qualifier, Timestamp: time.Now().UnixMilli() * 1000, Value: []byte(value),
	}}}}, storage.WriteOptions{})
}

func has(specs []storage.TableSpec, name string) bool {
	return slices.ContainsFunc(specs, func(s storage.TableSpec) bool { return s.Name == name })
}

// Restore makes the tables of a set, which a cluster of an instance of the same project keeps, in
// the instance of to. What was killed may be run again, and goes on. Then mend is called, for what
// must be compared, and a restore that was killed calls it again; nothing else may use the tables
// until Restore returns.
func Restore(ctx context.Context, to *bigtable.Store, instance, cluster string, set *Set, mend func() error, progress func(done, of int)) error {
	there, err := to.Admin().Tables(ctx)
	if err != nil {
		return err
	}
	n, err := openNotes(ctx, to, there, set.Name)
	if err != nil {
		return err
	}
	if n == nil {
		var taken []string
		for _, b := range set.All() {
			if has(there, b.Table) {
				taken = append(taken, b.Table)
			}
		}
		if len(taken) > 0 {
			return fmt.Errorf("the target has %d of the backup's %d tables already (%s): restore into an instance without them", len(taken), set.Of+1, some(taken))
		}
		if n, err = makeNotes(ctx, to, set.Name); err != nil {
			return err
		}
	}
	one := func(b *bigtable.Backup) error {
		key := tablePrefix + b.Table
		state := n.state[key]
		switch {
		case state == done:
			return nil
		case state == "" && has(there, b.Table):
			return fmt.Errorf("the target has table %s, which this restore has not made: drop it, or restore into another instance", b.Table)
		}
		if err := n.set(ctx, key, begun); err != nil {
			return err
		}
		err := to.RestoreBackup(ctx, b.Table, instance, cluster, b.ID)
		for state == begun && storage.CodeOf(err) == storage.CodeAlreadyExists {
			// The restore that was killed has left it; or the service goes on with it, and may
			// be done with it once more.
			if err := to.Admin().DropTable(ctx, b.Table); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
				return fmt.Errorf("%w (a restore that was killed has begun the table; run this again when the service is done with it)", err)
			}
			err = to.RestoreBackup(ctx, b.Table, instance, cluster, b.ID)
		}
		if err != nil {
			return err
		}
		return n.set(ctx, key, done)
	}
	err = each(len(set.Tables), func(i int) error { return one(&set.Tables[i]) }, func(done int) { progress(done, set.Of+1) })
	if err != nil {
		return err
	}
	if err := one(&set.Last); err != nil {
		return err
	}
	progress(set.Of+1, set.Of+1)
	if err := mend(); err != nil {
		return err
	}
	return to.Admin().DropTable(ctx, notesTable)
}

// some names the first of them.
func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
