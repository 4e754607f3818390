package transact

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestLateAbort: a reader has read a row with a lock and asks for its record. Meanwhile the transaction
// is committed before the reader's moment, all of it is done, and its record forgotten; and a writer which
// had met the lock too, and by whose clock it has expired, writes that it was aborted.
func TestLateAbort(t *testing.T) {
	ctx, base := context.Background(), mem.New()
	name, key := "t"+Mark, []byte("k")
	late := Wrap(base, Options{Now: func() time.Time { return time.Now().Add(time.Hour / 2) }})
	if err := late.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	atCommit, goOn := make(chan struct{}), make(chan struct{})
	own := Wrap(&hooks{Store: base, on: func(kind string, do func() error) error {
		if kind == "commit" {
			close(atCommit)
			<-goOn
		}
		return do()
	}}, Options{})
	var told error
	var done sync.WaitGroup
	done.Go(func() {
		told = own.Table(name).Mutate(ctx, []storage.RowMutation{{Key: key, Mutations: set(7)}, {Key: []byte("other"), Mutations: set(7)}}, storage.WriteOptions{})
	})
	<-atCommit
	writer := &table{late, name, base.Table(name)}
	met, err := writer.get(ctx, key)
	if err != nil || met[0].lock == nil {
		t.Fatalf("%+v, %v", met, err)
	}
	asked := false
	reader := Wrap(&hooks{Store: base, on: func(kind string, do func() error) error {
		if kind == "get record" && !asked {
			asked = true
			close(goOn)
			done.Wait()
			own.work.Wait()
			if _, err := writer.settle(ctx, key, met[0]); err != nil {
				t.Error(err)
			}
			if st, err := late.state(ctx, met[0].lock.tx); err != nil || st.status != aborted {
				t.Errorf("the record says %+v, %v", st, err)
			}
		}
		return do()
	}}, Options{}).Transactions()
	snap, err := reader.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := valueOf(ctx, reader, rowName{name, key}, snap)
	if told != nil || err != nil || n != 7 || !asked {
		t.Errorf("told %v; read %d, %v; asked %v", told, n, err, asked)
	}
}

// TestNoSuchFamily: a change that the table cannot take fails before it is decided, and leaves no lock.
func TestNoSuchFamily(t *testing.T) {
	ctx, base := context.Background(), mem.New()
	s, name := Wrap(base, Options{}), "t"+Mark
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "0"}}}); err != nil {
		t.Fatal(err)
	}
	bad := []storage.Mutation{{Family: "none", Qualifier: []byte("q"), Timestamp: step}}
	for _, rows := range [][]storage.RowMutation{{{Key: []byte("a"), Mutations: bad}}, {{Key: []byte("a"), Mutations: set(1)}, {Key: []byte("b"), Mutations: bad}}} {
		err := s.Table(name).Mutate(ctx, rows, storage.WriteOptions{})
		s.work.Wait()
		n, sweep := s.SweepLocks(ctx, name)
		if err == nil || storage.CodeOf(err) == storage.CodeAmbiguous || n != 0 || sweep != nil {
			t.Errorf("%d rows: %v; %d locks, %v", len(rows), err, n, sweep)
		}
		if v, _, err := valueOf(ctx, s.Transactions(), rowName{name, []byte("a")}, nil); v != 0 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	}
}
