package metrics

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestScrape reads what Prometheus would: every metric that All names and that is not of a
// store of its own is there, under no other labels, counters never fall, and no word of a user but the
// names of the busiest tables is in it, of which there are at most so many.
func TestScrape(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	db, err := session.Open(ctx, store, &session.Options{TrackStatements: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(session.SessionOptions{ApplicationName: "sekrit_app"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	exec := func(sql string) error {
		rows, err := goapi.Query(ctx, s, sql)
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return rows.Close()
	}
	for i := range namedTables + 10 {
		if err := exec(fmt.Sprintf("CREATE TABLE t%d (k INT PRIMARY KEY)", i)); err != nil {
			t.Fatal(err)
		}
	}
	srv, reg := New(db, store, "v1"), prometheus.NewPedanticRegistry()
	reg.MustRegister(collector{db})
	get := func(path string) (*httptest.ResponseRecorder, string) {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w, w.Body.String()
	}
	was := map[string]float64{}
	for round := range 3 {
		for i := range namedTables + 10 {
			if err := exec(fmt.Sprintf("INSERT INTO t%d VALUES (%d)", i, round)); err != nil {
				t.Fatal(err)
			}
		}
		if exec("SELECT sekrit FROM t0") == nil || exec("SELECT 'sekrit'::int") == nil {
			t.Fatal("a bad statement passed")
		}
		w, text := get("/metrics")
		if w.Code != http.StatusOK || strings.Contains(text, "sekrit") {
			t.Fatalf("%d; what a user wrote is in it: %v", w.Code, strings.Contains(text, "sekrit"))
		}
		gathered, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int{}
		for i, f := range gathered {
			at[f.GetName()] = i
		}
		for _, m := range All() {
			i, ok := at[m.Name]
			if !ok {
				if !strings.HasPrefix(m.Name, "saltsql_pebble_") && !strings.HasPrefix(m.Name, "saltsql_storage_") && !strings.HasPrefix(m.Name, "saltsql_disk_") {
					t.Errorf("%s is not served", m.Name)
				}
				continue
			}
			tables := map[string]bool{}
			for _, one := range gathered[i].Metric {
				key := m.Name
				if len(one.Label) != len(m.Labels) {
					t.Errorf("%s has labels %v, want %v", m.Name, one.Label, m.Labels)
				}
				for _, l := range one.Label {
					key += " " + l.GetValue()
					if l.GetName() == "table" {
						tables[l.GetValue()] = true
					}
				}
				if m.Kind == counter {
					if now := one.GetCounter().GetValue(); now < was[key] {
						t.Errorf("%s fell from %g to %g", key, was[key], now)
					} else {
						was[key] = now
					}
				}
			}
			if len(tables) > namedTables {
				t.Errorf("%s names %d tables", m.Name, len(tables))
			}
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 404} {
		if w, _ := get(path); w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
	}
	srv.Drain()
	if w, text := get("/readyz"); w.Code != http.StatusServiceUnavailable || !strings.Contains(text, "shutting down") {
		t.Errorf("while it ends: %d %s", w.Code, text)
	}
	if w, _ := get("/healthz"); w.Code != http.StatusOK {
		t.Errorf("/healthz while it ends: %d", w.Code)
	}
	failing := New(db, store, "v1")
	store.Close()
	w := httptest.NewRecorder()
	failing.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("without a store: %d %s", w.Code, w.Body)
	}
}
