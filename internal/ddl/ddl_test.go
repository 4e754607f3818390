package ddl

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// host is a session without data: whether a check finds a row that it refuses, the test
// says.
type host struct {
	catalog   *live.Catalog
	path      []string
	anyRow    bool
	truncated []string
}

func (h *host) SearchPath() []string { return h.path }

func (h *host) Within(schema string) (leave func()) {
	path := h.path
	h.path = append([]string{schema}, path...)
	return func() { h.path = path }
}

func (h *host) Setting(string) string { return "" }

func (h *host) Planner() *planner.Context {
	return &planner.Context{Catalog: h.catalog.Snapshot(), SearchPath: h.path}
}

func (h *host) Lookup(_ context.Context, find func() (uint64, error)) error {
	_, err := find()
	return err
}

func (h *host) BackendPID() int { return 0 }

func (h *host) CopyRows(context.Context, *catalog.Table, *catalog.Table, map[string]*tree.SourceExpr) error {
	return nil
}

func (h *host) AnyRow(context.Context, *plan.Plan) (bool, error) { return h.anyRow, nil }

func (h *host) BeforeTruncate(ctx context.Context) context.Context { return ctx }

func (h *host) Truncated(tables []*catalog.Table) {
	for _, t := range tables {
		h.truncated = append(h.truncated, t.Name)
	}
}

func (h *host) FillView(context.Context, *catalog.Table) (int64, error) { return 0, nil }

func (h *host) StorageError(_ context.Context, err error) error { return err }

// TestDDL runs the statements of testdata: "ddl" as the catalog takes them, "refused"
// where each is refused, "violated" where a row is there that a new check refuses.
func TestDDL(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		ctx := catalog.AsProgram(context.Background())
		store := mem.New()
		defer store.Close()
		cat, err := live.Open(ctx, store, live.Serving(store), live.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer cat.Close()
		h := &host{catalog: cat, path: []string{"public"}}
		r := &Runner{Catalog: cat, Host: h}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h.anyRow, h.truncated = d.Cmd == "violated", nil
			if d.Cmd == "storage" { // a storage table and its column families
				f := strings.Fields(d.Input)
				spec := storage.TableSpec{Name: f[0]}
				for _, name := range f[1:] {
					spec.Families = append(spec.Families, storage.FamilySpec{Name: name, MaxVersions: 1})
				}
				if err := store.Admin().CreateTable(ctx, spec); err != nil {
					t.Fatal(err)
				}
				return ""
			}
			list, err := dialect.Parse(d.Input)
			if err != nil {
				return shownError(err)
			}
			var b strings.Builder
			for _, st := range list {
				if show, ok := st.Utility.(*tree.ShowCreateTable); ok {
					rows, err := r.ShowCreateTable(ctx, show)
					if err != nil {
						b.WriteString(shownError(err))
						continue
					}
					b.WriteString(rows[0][1] + "\n")
					continue
				}
				do := r.Statement(st.Utility)
				if do == nil {
					d.Fatalf(t, "%s is no DDL", st.Text)
				}
				notices, err := do(ctx)
				for _, n := range notices {
					fmt.Fprintf(&b, "%s: %s\n", n.Severity, n.Message)
				}
				switch {
				case err != nil:
					b.WriteString(shownError(err))
				case d.Cmd == "refused":
					t.Errorf("%s: %s is taken", d.Pos, st.Text)
				default:
					b.WriteString(st.Utility.Tag() + "\n")
				}
				if err != nil && d.Cmd == "ddl" {
					t.Errorf("%s: %s: %v", d.Pos, st.Text, err)
				}
			}
			for _, name := range h.truncated {
				b.WriteString("emptied " + name + "\n")
			}
			return b.String()
		})
	})
}

func shownError(err error) string {
	e := sqlerr.As(err)
	if e == nil {
		return fmt.Sprintf("no SQLSTATE: %v\n", err)
	}
	out := fmt.Sprintf("%s at %d: %s\n", e.SQLState(), e.Position, e.Message)
	if e.Code == sqlerr.FeatureNotSupported && e.Hint == "" {
		return out + "a refusal that does not say what to do instead\n"
	}
	return out
}

func (h *host) Actor() Actor {
	return Actor{Current: catalog.BootstrapRole, Session: catalog.BootstrapRole, CurrentName: "saltsql", SessionName: "saltsql", Database: "d"}
}

func (h *host) Timestamp(text string) (int64, error) {
	d, err := types.ParseText(types.Of(types.Timestamptz), []byte(text), &types.IOEnv{})
	return d.Int, err
}

func (h *host) MaySet(string) error { return nil }

func (h *host) CheckSetting(u *tree.Set) (name, value string, err error) {
	return u.Name, u.Values[0].Text, nil
}

// TestNothingElse holds that what does not change the catalog is left to the session.
func TestNothingElse(t *testing.T) {
	r := &Runner{}
	for _, text := range []string{"BEGIN", "SHOW ALL", "COPY t FROM STDIN", "VACUUM", "SET a.b = 1"} {
		list, err := dialect.Parse(text)
		if err != nil || len(list) != 1 || list[0].Utility == nil {
			t.Fatal(text, err)
		}
		if r.Statement(list[0].Utility) != nil {
			t.Errorf("%s is taken for DDL", text)
		}
	}
}
