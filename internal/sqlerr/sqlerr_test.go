package sqlerr

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// TestCodes has each SQLSTATE be one of PostgreSQL's list, and none stand twice.
func TestCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	shape := regexp.MustCompile(`^[0-9A-Z]{5}$`)
	seen := map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		lit, ok := v.Values[0].(*ast.CompositeLit)
		if !ok || len(lit.Elts) != 1 {
			return true
		}
		code, err := strconv.Unquote(lit.Elts[0].(*ast.BasicLit).Value)
		if err != nil || !shape.MatchString(code) {
			t.Errorf("%s is %q", v.Names[0], code)
		}
		if other := seen[code]; other != "" {
			t.Errorf("%s and %s are both %s", other, v.Names[0], code)
		}
		seen[code] = v.Names[0].Name
		return true
	})
	if len(seen) < 50 {
		t.Fatalf("%d SQLSTATEs were read: the test looks at the wrong thing", len(seen))
	}
	dir := pgtest.BinDir()
	if dir == "" {
		t.Skip("no PostgreSQL")
	}
	share, err := childproc.Command(filepath.Join(dir, "pg_config"), "--sharedir").Output()
	if err != nil {
		t.Skip(err)
	}
	list, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(share)), "errcodes.txt"))
	if err != nil {
		t.Skip(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if f := strings.Fields(line); len(f) >= 3 && strings.HasPrefix(f[2], "ERRCODE_") {
			known[f[0]] = true
		}
	}
	for code, name := range seen {
		if !known[code] {
			t.Errorf("%s: PostgreSQL has no %s", name, code)
		}
	}
}

// TestAs finds an error below others, and the code of what is none is XX000.
func TestAs(t *testing.T) {
	e := New(UniqueViolation, "%d%%", 5)
	if As(fmt.Errorf("a: %w", fmt.Errorf("b: %w", e))) != e || As(nil) != nil || As(fmt.Errorf("x")) != nil {
		t.Error("As")
	}
	if e.Message != "5%" || CodeOf(fmt.Errorf("a: %w", e)) != UniqueViolation || CodeOf(fmt.Errorf("x")) != InternalError {
		t.Error(e.Message, CodeOf(e))
	}
	cause := fmt.Errorf("disk")
	in := Internal(cause, "reading")
	if in.Code != InternalError || As(fmt.Errorf("%w", in)) != in {
		t.Error(in)
	}
	if u := Unsupported("this", "Do that."); u.Code != FeatureNotSupported || u.Message != "this" || u.Hint != "Do that." {
		t.Errorf("%+v", u)
	}
}

// TestDistance compares with the definition of the distance, for all short names of three letters.
func TestDistance(t *testing.T) {
	var names []string
	for n := range 1 + 3 + 9 + 27 + 81 {
		name := ""
		for ; n > 0; n = (n - 1) / 3 {
			name += string("abc"[(n-1)%3])
		}
		names = append(names, name)
	}
	known := map[[2]string]int{}
	var distance func(a, b string) int
	distance = func(a, b string) (d int) {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		if d, ok := known[[2]string{a, b}]; ok {
			return d
		}
		defer func() { known[[2]string{a, b}] = d }()
		d = min(distance(a[1:], b), distance(a, b[1:])) + 1
		if same := distance(a[1:], b[1:]); a[0] == b[0] {
			return min(d, same)
		} else {
			return min(d, same+1)
		}
	}
	for _, a := range names {
		for _, b := range names {
			if got, want := Distance(a, b), distance(a, b); min(got, MaxDistance+1) != min(want, MaxDistance+1) {
				t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
			}
		}
	}
}
