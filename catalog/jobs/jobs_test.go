package jobs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/fault"
	"github.com/saltsql/saltsql/storage/mem"
)

func query(s *session.Session, text string) ([]string, error) {
	rows, err := sessiontest.Rows(s, text)
	slices.Sort(rows)
	return rows, err
}

// While rows are written and removed, a table gets other buckets and indexes, and the reads
// of those jobs fail now and then. However a job ends, the table has the rows that the
// writer wrote, by each of its indexes too, and no job is left; one that failed has left the
// table as it was, and one that is done has made what was asked.
func TestJobsUnderWrites(t *testing.T) {
	ctx := context.Background()
	store := fault.Wrap(mem.New())
	db, err := session.Open(ctx, store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	open := func() *session.Session {
		s, err := db.NewSession(session.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	s, writer := open(), open()
	must := func(text string) []string {
		t.Helper()
		rows, err := query(s, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return rows
	}
	must("CREATE TABLE j (k int PRIMARY KEY, v int, w text) SALT_BUCKETS = 4")
	must("INSERT INTO j SELECT i, i % 10, 'row' || i FROM generate_series(1, 3000) i")
	model := map[int]string{}
	for i := 1; i <= 3000; i++ {
		model[i] = fmt.Sprintf("|%d|%d|row%d", i, i%10, i)
	}
	table := func() *catalog.Table {
		rel, err := db.Catalog().Snapshot().Resolve([]string{"public"}, "", "j")
		if err != nil {
			t.Fatal(err)
		}
		return rel.(*catalog.Table)
	}
	r := rand.New(rand.NewPCG(11, 1))
	done, failed := 0, 0
	for round := range 12 {
		buckets := []int{1, 2, 8, 16}[round%4]
		text, ok := fmt.Sprintf("ALTER TABLE j SET (salt_buckets = %d)", buckets), func() bool { return table().Options.SaltBuckets == buckets }
		if round%2 == 1 {
			name := fmt.Sprint("j_", round)
			text, ok = fmt.Sprintf("CREATE INDEX %s ON j (v, w DESC)", name), func() bool { return table().IndexByName(name) != nil }
		}
		switch round % 3 {
		case 1: // tried again
			store.Add(fault.Rule{Op: storage.OpScan, Do: fault.FailBefore, Nth: 1 + r.IntN(6), Times: 1 + r.IntN(9)})
		case 2: // not
			store.Add(fault.Rule{Op: storage.OpScan, Do: fault.FailBefore, Nth: 1 + r.IntN(3), Times: 9, Err: storage.Errorf(storage.CodePermissionDenied, storage.OpScan, "", "injected fault")})
		}
		stop, stopped := make(chan struct{}), make(chan error)
		go func() {
			w := rand.New(rand.NewPCG(uint64(round), 2))
			for {
				select {
				case <-stop:
					stopped <- nil
					return
				default:
				}
				k, v := 1+w.IntN(4000), w.IntN(10)
				text := fmt.Sprintf("UPSERT INTO j VALUES (%d, %d, 'new%d')", k, v, v)
				row := fmt.Sprintf("|%d|%d|new%d", k, v, v)
				if w.IntN(4) == 0 {
					text, row = fmt.Sprintf("DELETE FROM j WHERE k = %d", k), ""
				}
				_, err := query(writer, text)
				if sqlerr.CodeOf(err) == sqlerr.SerializationFailure {
					continue // the table has changed under it: it has done nothing
				}
				if err != nil {
					stopped <- fmt.Errorf("%s: %w", text, err)
					return
				}
				if model[k] = row; row == "" {
					delete(model, k)
				}
			}
		}()
		before := ok()
		_, err := query(s, text)
		store.Reset()
		close(stop)
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		if err == nil {
			done++
		} else {
			failed++
		}
		if got := ok(); got != (err == nil || before) {
			t.Errorf("%s: %v: it is made: %t", text, err, got)
		}
		if left := table().Jobs(); len(left) > 0 {
			t.Errorf("%s: %v: jobs %v are left", text, err, left)
		}
		want := make([]string, 0, len(model))
		for _, row := range model {
			want = append(want, row)
		}
		slices.Sort(want)
		for _, by := range []string{"SELECT k, v, w FROM j", "SELECT k, v, w FROM j WHERE v >= 0"} {
			if got := must(by); !slices.Equal(got, want) {
				t.Fatalf("%s: %v: %s gives %d rows, not the %d that were written", text, err, by, len(got), len(want))
			}
		}
	}
	if done < 3 || failed < 2 {
		t.Errorf("%d jobs are done, %d failed: too few", done, failed)
	}
}
