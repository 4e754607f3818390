package write_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/txn"
)

// TestBulkAgain ends a filling when its load is in the index and nothing is mended, as a
// crash does: the entries of rows that were changed meanwhile are wrong, and the next
// filling leaves none of them.
func TestBulkAgain(t *testing.T) {
	ctx := t.Context()
	st, err := pebble.Open(t.TempDir(), &pebble.Options{Logger: slog.New(slog.DiscardHandler), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	db, err := session.Open(ctx, st, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d := &side{t, s}
	d.must("CREATE TABLE b (k int PRIMARY KEY, u int) SALT_BUCKETS = 4")
	d.must("INSERT INTO b SELECT i, i % 50 FROM generate_series(1, 3000) AS g(i)")
	d.must("CREATE INDEX b_u ON b (u)")
	wrong := func() bool {
		for _, r := range d.must("CHECK TABLE b ALL") {
			if f := strings.Split(r, "|"); len(f) < 7 || slices.ContainsFunc(f[3:7], func(n string) bool { return n != "0" }) {
				return true
			}
		}
		return false
	}
	fill := func(meanwhile string) {
		table, ix := db.Catalog().Snapshot().IndexNamed(catalog.Name{Schema: "public", Name: "b_u"})
		if ix == nil {
			t.Fatal("no index")
		}
		// A manager of its own does not learn of the session's commits.
		f, err := write.NewFiller(txn.NewManager(st, nil), &expr.Env{Ctx: ctx, Now: time.Now(), StmtTime: time.Now()}, table, ix)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Bulk(ctx)
		if err != nil || b == nil {
			t.Fatal(b, err)
		}
		defer b.Close()
		if err := b.Begin(ctx); err != nil {
			t.Fatal(err)
		}
		if meanwhile != "" {
			d.must(meanwhile)
		}
		if err := b.Fill(ctx, storage.Span{}, func(int) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := b.Prepare(ctx); err != nil {
			t.Fatal(err)
		}
		if ok, err := b.Commit(ctx); err != nil || !ok {
			t.Fatal(ok, err)
		}
	}
	fill("UPDATE b SET u = 7 WHERE k < 100")
	if !wrong() {
		t.Fatal("nothing is wrong when nothing was mended")
	}
	fill("")
	if wrong() {
		t.Error("entries of the filling before are left")
	}
}
