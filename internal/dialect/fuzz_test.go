package dialect

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

func corpusFiles(t testing.TB) []string {
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.sql"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var out []string
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// TestCorpus takes every statement of the corpus.
func TestCorpus(t *testing.T) {
	for _, sql := range corpusStatements(t) {
		if _, err := Parse(sql); err != nil {
			t.Errorf("%v\n%s", err, sql)
		}
	}
}

// checkInvariants holds what must be true of any text: no panic; an error is
// the front's own, with a position inside the text; what the front accepts the
// grammar accepts (it would be XX000), and the views decode.
func checkInvariants(t testing.TB, sql string) {
	stmts, err := Parse(sql)
	if err != nil {
		e := sqlerr.As(err)
		if e == nil || e.Code == sqlerr.InternalError {
			t.Fatalf("%v (%v)\n%q", err, e.Unwrap(), sql)
		}
		if e.Position < 0 || e.Position > len([]rune(sql))+1 {
			t.Fatalf("position %d outside the text\n%q", e.Position, sql)
		}
		return
	}
	for _, st := range stmts {
		walk(t, st)
	}
}

// walk looks at everything in a statement.
func walk(t testing.TB, st *tree.Statement) {
	if st.DML == nil {
		if st.Utility == nil || st.Utility.Tag() == "" {
			t.Fatalf("neither DML nor utility\n%q", st.Text)
		}
		return
	}
	whole(t, st, reflect.ValueOf(st.DML))
}

// whole asks for a tree without holes: a position inside the text for each node,
// a type for each cast, a query for each subquery.
func whole(t testing.TB, st *tree.Statement, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		switch x := v.Interface().(type) {
		case *tree.Cast:
			if x.Type == nil {
				t.Fatalf("a cast without a type\n%q", st.Text)
			}
		case *tree.Subquery, *tree.Exists, *tree.ArrayQuery, *tree.Derived:
			if v.Kind() == reflect.Pointer && v.Elem().FieldByName("Query").IsNil() {
				t.Fatalf("%T without a query\n%q", x, st.Text)
			}
		}
		if e, ok := v.Interface().(tree.Expr); ok && e.Position() <= 0 {
			if c, ok := e.(*tree.Const); !ok || c.Kind != tree.Int { // of LIMIT
				t.Fatalf("%T stands nowhere\n%q", e, st.Text)
			}
		}
		whole(t, st, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			whole(t, st, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				whole(t, st, v.Field(i))
			}
		}
	case reflect.Int32:
		if p, ok := v.Interface().(tree.Pos); ok && (p < 0 || p.Position() > st.Offset+len(st.Text)+1) {
			t.Fatalf("position %d outside the text\n%q", p, st.Text)
		}
	}
}

// TestMutations changes the corpus token by token: deletes, doubles, swaps,
// and takes tokens of other statements.
func TestMutations(t *testing.T) {
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 0))
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	var stmts [][]string
	for _, sql := range corpusStatements(t) {
		if w := words(sql); len(w) > 1 {
			stmts = append(stmts, w)
		}
	}
	for i := 0; i < rounds; i++ {
		w := append([]string(nil), stmts[r.IntN(len(stmts))]...)
		for n := 1 + r.IntN(3); n > 0 && len(w) > 1; n-- {
			at := r.IntN(len(w))
			switch r.IntN(5) {
			case 0:
				w = append(w[:at], w[at+1:]...)
			case 1:
				w = append(w[:at], append([]string{w[at]}, w[at:]...)...)
			case 2:
				b := r.IntN(len(w))
				w[at], w[b] = w[b], w[at]
			case 3:
				other := stmts[r.IntN(len(stmts))]
				w[at] = other[r.IntN(len(other))]
			case 4:
				w = w[:at+1]
			}
		}
		checkInvariants(t, strings.Join(w, " "))
	}
}

// words splits text at its tokens.
func words(sql string) []string {
	var lx lex.Tokens
	if err := lx.Read(sql); err != nil {
		return nil
	}
	var w []string
	for _, tok := range lx.Toks {
		if tok.End > tok.Start {
			w = append(w, lx.Raw(tok))
		}
	}
	return w
}

func FuzzParse(f *testing.F) {
	for _, sql := range corpusStatements(f) {
		f.Add(sql)
	}
	f.Add("SELECT U&'\\0041' UESCAPE '!', E'\\x', $a$b$a$, /*+ h(1) */ 1e5, .5, 5.")
	f.Fuzz(func(t *testing.T, sql string) { checkInvariants(t, sql) })
}

func FuzzTypeName(f *testing.F) {
	for _, s := range []string{"int", "numeric(10,2)[]", "interval day to second(3)", "character varying", `"char"`, "s.t", "timestamp(3) with time zone", "float(10)", "bit", "setof text array[3]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := typename.Parse(s)
		if err != nil {
			return
		}
		b, err := typename.Parse(a.String())
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", s, a, err)
		}
		if a.String() != b.String() || a.Name != b.Name || a.Schema != b.Schema || len(a.Mods) != len(b.Mods) {
			t.Fatalf("%q: %+v and %+v", s, a, b)
		}
	})
}
