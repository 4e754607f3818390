package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/statements/peers"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// manyServers is a store that several servers share.
type manyServers struct{ *mem.Store }

func (s *manyServers) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Exclusive = false
	return c
}

// shapeRows are the rows by which servers tell of their statements, with the timestamps of their cells.
func shapeRows(t *testing.T, db *DB) map[string]int64 {
	t.Helper()
	rows := map[string]int64{}
	req := &storage.ScanRequest{Spans: []storage.Span{{Start: []byte("shapes/"), End: []byte("shapes0")}}}
	err := storage.EachBatch(context.Background(), db.catalog.Table, req, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			rows[string(b.Key(i))] = b.Cell(i, 0).Timestamp
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestStatementsOfAllServers asks one server what others have run: those that live, as they have
// told, and not those that died or left. Who runs nothing writes nothing.
func TestStatementsOfAllServers(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	open := func() (*DB, *Session) {
		t.Helper()
		db, err := Open(ctx, &manyServers{store}, &Options{TrackStatements: 100, NoEstimates: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := db.NewSession(SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close(); db.Close() })
		return db, s
	}
	run := func(s *Session, sql string) {
		t.Helper()
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	one, s1 := open()
	two, s2 := open()
	const shape = "SELECT $1 AS mark"
	shown := func() string { // server 1 or 2, and its calls
		t.Helper()
		rows, err := s2.Query(ctx, "SELECT server, calls FROM saltsql.statements WHERE query = '"+shape+"' ORDER BY calls")
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for rows.Next() {
			name := map[string]string{one.catalog.Owner: "1", two.catalog.Owner: "2"}[rows.Text(0)]
			out = append(out, name+":"+rows.Text(1))
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		return strings.Join(out, " ")
	}
	x1, x2 := one.teller(), two.teller()
	again := int64(0)
	x1.Joins = func() int64 { return one.catalog.Joins() + again }
	tell := func(x *peers.Teller) {
		t.Helper()
		if err := x.Tell(ctx); err != nil {
			t.Fatal(err)
		}
	}
	run(s2, "SELECT 1 AS mark")
	for range 3 {
		run(s1, "SELECT 2 AS mark")
	}
	if got := shown(); got != "2:1" {
		t.Errorf("before it was told: %s", got)
	}
	tell(x1)
	if got := shown(); got != "2:1 1:3" {
		t.Errorf("after it was told: %s", got)
	}
	before := shapeRows(t, one)
	tell(x1)
	if now := shapeRows(t, one); !maps.Equal(before, now) || len(now) == 0 || len(now) > versions.ShapeParts {
		t.Errorf("%d rows became %d, though nothing ran", len(before), len(now))
	}

	// What a dead server has told is not shown, and is removed by who writes next.
	part, err := peers.Pack([]pgcatalog.Statement{{User: "saltsql", Text: shape, Calls: 50}})
	if err != nil {
		t.Fatal(err)
	}
	dead := "shapes/dead/beef/03"
	row := storage.RowMutation{Key: []byte(dead), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: versions.SystemFamily, Qualifier: []byte("shapes"), Timestamp: 1000, Value: part,
	}}}
	if err := one.catalog.Table.Mutate(ctx, []storage.RowMutation{row}, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "2:1 1:3" {
		t.Errorf("with a dead server's: %s", got)
	}
	tell(x2)
	if _, there := shapeRows(t, one)[dead]; there {
		t.Error("a dead server's row is left")
	}

	// Others may have removed what a server told that they took for dead: it tells all again.
	all := shapeRows(t, one)
	one.catalog.DeleteRows(ctx, slices.Collect(maps.Keys(all)))
	again++
	tell(x1)
	if got := shown(); got != "2:1 1:3" {
		t.Errorf("after it was told again: %s", got)
	}
	one.statements.Reset()
	tell(x1)
	if got := shown(); got != "2:1" {
		t.Errorf("after it was reset: %s", got)
	}
	run(s1, "SELECT 2 AS mark")
	tell(x1)
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	for key := range shapeRows(t, two) {
		if strings.HasPrefix(key, "shapes/"+one.catalog.Owner) {
			t.Errorf("%s is left of a server that left", key)
		}
	}
}
