package live

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestWaitingIsTold: a DDL statement that has to wait says for what, once, and
// can be canceled then.
func TestWaitingIsTold(t *testing.T) {
	hold := func(t *testing.T, c *Catalog) {
		t.Helper()
		h, err := c.Acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Release(context.Background()) })
	}
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, a, b *Catalog)
		do      func(ctx context.Context, a *Catalog) error
		message string
		detail  func(b *Catalog) string
	}{
		{"a statement of this server", func(t *testing.T, a, _ *Catalog) { hold(t, a) }, makeTable("u"),
			"waiting for another DDL statement of this server", func(*Catalog) string { return "One at a time" }},
		{"a statement of another server", func(t *testing.T, _, b *Catalog) { hold(t, b) }, makeTable("u"),
			"waiting for the DDL statement of another server", func(b *Catalog) string { return "Server " + b.Owner + " has the lease for " }},
		{"a server that does not look", func(*testing.T, *Catalog, *Catalog) {}, alterTable(addColumn("c")),
			"waiting for another server to see the change of the catalog", func(b *Catalog) string { return "Server " + b.Owner + " gave its last sign " }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := mem.New()
			a := openShared(t, store, OpenOptions{Poll: time.Hour})
			if err := makeTable("t")(catalog.AsProgram(context.Background()), a); err != nil {
				t.Fatal(err)
			}
			b := openShared(t, store, OpenOptions{})
			tt.prepare(t, a, b)
			ctx, cancel := context.WithCancel(catalog.AsProgram(context.Background()))
			defer cancel()
			var told []*sqlerr.Error
			err := tt.do(versions.WithWaiting(ctx, func(e *sqlerr.Error) {
				told = append(told, e)
				time.AfterFunc(50*time.Millisecond, cancel)
			}), a)
			if sqlerr.CodeOf(err) != sqlerr.QueryCanceled {
				t.Errorf("the wait ended with %v", err)
			}
			if len(told) != 1 || told[0].Message != tt.message || !strings.HasPrefix(told[0].Detail, tt.detail(b)) ||
				!strings.HasSuffix(told[0].Hint, "The statement can be canceled.") || told[0].Severity != sqlerr.SeverityNotice {
				t.Errorf("told %+v", told)
			}
			// Nobody wants to know: nothing is told, and the wait is the same.
			short, cancel := context.WithTimeout(catalog.AsProgram(context.Background()), 20*time.Millisecond)
			defer cancel()
			if err := tt.do(short, a); sqlerr.CodeOf(err) != sqlerr.QueryCanceled {
				t.Errorf("without a listener: %v", err)
			}
		})
	}
}
