package plancache

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/types"
)

// TestTexts: a text is parsed once, and a giant one is not kept.
func TestTexts(t *testing.T) {
	c := New[int](10)
	first, err := parsed(c, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := parsed(c, "SELECT 1"); again[0] != first[0] {
		t.Error("parsed twice")
	}
	if _, err := parsed(c, "SELECT FROM FROM"); err == nil || c.Stats().Texts != 1 {
		t.Error("a text that does not parse is kept", err)
	}
	long := "SELECT '" + strings.Repeat("x", maxText) + "'"
	if _, err := parsed(c, long); err != nil || c.Stats().Texts != 1 {
		t.Error(err, c.Stats())
	}
	for i := range 20 {
		if _, err := parsed(c, fmt.Sprint("SELECT ", i, " AS x")); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Stats().Texts; n != 10 {
		t.Errorf("%d texts are kept", n)
	}
}

// parsed gives the statements of a text, of the cache where it has them.
func parsed[P any](c *Cache[P], text string) ([]*tree.Statement, error) {
	if list, ok := c.Parsed(text); ok {
		return list, nil
	}
	return c.Parse(text, nil)
}

func current[P any](P) bool { return true }

// TestPlans: a plan is found under its key, and under no other.
func TestPlans(t *testing.T) {
	c := New[string](10)
	list, err := parsed(c, "SELECT 1; SELECT 2")
	if err != nil {
		t.Fatal(err)
	}
	key := Key{Text: "SELECT 1", Catalog: 7, Path: "public,", User: "u"}
	key.Declare([]types.T{types.Of(types.Int4)})
	c.Keep(key, list[0], "plan", 1)
	c.Keep(Key{Text: "SELECT 2"}, list[1], "of a second statement", 1)
	if p, ok := c.Find(key, current); !ok || p != "plan" {
		t.Error(p, ok)
	}
	if _, ok := c.Find(Key{Text: "SELECT 2"}, current); ok {
		t.Error("a text's second statement is kept: its errors have other positions")
	}
	if _, ok := c.Find(key, func(string) bool { return false }); ok {
		t.Error("found, and not current")
	}
	many := make([]types.T, declaredTypes+2)
	for name, change := range map[string]func(*Key){
		"catalog": func(k *Key) { k.Catalog++ }, "path": func(k *Key) { k.Path += "x," },
		"user": func(k *Key) { k.User = "v" }, "database": func(k *Key) { k.Database = "d" }, "zone": func(k *Key) { k.Zone = "UTC" },
		"digits": func(k *Key) { k.Digits = 3 }, "escape": func(k *Key) { k.Escape = true }, "rules": func(k *Key) { k.RulesOff = true },
		"types": func(k *Key) { k.Declare([]types.T{types.Of(types.Int8)}) }, "length": func(k *Key) { k.Declare([]types.T{types.Of(types.Varchar).WithLength(5)}) },
		"many": func(k *Key) { k.Declare(many) },
	} {
		other := key
		change(&other)
		if _, ok := c.Find(other, current); ok {
			t.Errorf("found in spite of another %s", name)
		}
	}
	a, b := Key{}, Key{}
	a.Declare(many)
	many[declaredTypes+1] = types.Of(types.Text)
	b.Declare(many)
	if a == b {
		t.Error("the types that have no place in the key are not told apart")
	}
	if st := c.Stats(); st.Hits != 1 || st.Misses != 13 || st.Plans != 1 || st.Bytes == 0 {
		t.Errorf("%+v", st)
	}
}

// TestShapes: from the second text of a shape on there are parameters, until the shape is
// refused.
func TestShapes(t *testing.T) {
	c := New[int](10)
	text := func(n int64) string { return fmt.Sprintf("SELECT v FROM t WHERE k = %d", n) }
	if _, ok := c.Shaped(text(1)); ok {
		t.Error("the first text has a shape that is known")
	}
	sh, ok := c.Shaped(text(1 << 20))
	if !ok || sh.Statement.Text != "SELECT v FROM t WHERE k = $1" || sh.Shape.Text() != sh.Statement.Text || len(sh.Values) != 1 || sh.Values[0].Int != 1<<20 || sh.Types[0] != types.Of(types.Int4) {
		t.Fatalf("%+v", sh)
	}
	if _, ok := c.Shaped(text(1 << 40)); ok {
		t.Error("a bigint has the shape of an integer")
	}
	if big, ok := c.Shaped(text(1 << 41)); !ok || big.Types[0] != types.Of(types.Int8) || big.Shape == sh.Shape {
		t.Errorf("%+v", big)
	}
	refused := true
	sh.Shape.RefuseWhile(func() bool { return refused })
	if _, ok := c.Shaped(text(3)); ok || !sh.Shape.Refused() {
		t.Error("a refused shape is used")
	}
	refused = false
	if _, ok := c.Shaped(text(3)); !ok || sh.Shape.Refused() {
		t.Error("a shape is refused for longer than was said")
	}
	for _, bad := range []string{"SELECT v FROM WHERE k = 1", "SELECT v FROM WHERE k = 2", "SELECT v FROM WHERE k = 3"} {
		if _, ok := c.Shaped(bad); ok {
			t.Error("what does not parse has a shape")
		}
	}
	if n := alloctest.PerRun(100, func() { _, _ = c.Shaped("SELECT v FROM t WHERE k = 6000000000") }); n > 5 {
		t.Errorf("%v allocations for a text of a known shape", n)
	}
}

// TestOff: a cache of nothing parses, and keeps nothing.
func TestOff(t *testing.T) {
	c := New[int](-1)
	list, err := parsed(c, "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	c.Keep(Key{}, list[0], 1, 1)
	_, found := c.Find(Key{}, current)
	_, _ = c.Shaped("SELECT 1 WHERE 2 = 3")
	_, shaped := c.Shaped("SELECT 1 WHERE 2 = 4")
	if st := c.Stats(); found || shaped || st.Plans != 0 || st.Texts != 0 {
		t.Errorf("%v %v %+v", found, shaped, st)
	}
}
