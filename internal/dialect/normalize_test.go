package dialect

import (
	"strings"
	"testing"
)

// TestNormalize holds which texts have one shape, and that no constant is left in it.
func TestNormalize(t *testing.T) {
	for _, c := range []struct{ text, shape string }{
		{"SELECT 1", "SELECT $1"},
		{"SELECT a,b FROM t -- secret\n WHERE a = 'x' /* secret */ AND b=2.5;", "SELECT a,b FROM t WHERE a = $1 AND b=$2"},
		{"SELECT * FROM t WHERE a = $2 AND b = 7", "SELECT * FROM t WHERE a = $2 AND b = $3"},
		{"SELECT * FROM t WHERE a IN (1,2, 3) AND b = 4", "SELECT * FROM t WHERE a IN ($1 /*, ... */) AND b = $2"},
		{"SELECT * FROM t WHERE a IN (1)", "SELECT * FROM t WHERE a IN ($1)"},
		{"SELECT * FROM t WHERE a IN (1, b, 3)", "SELECT * FROM t WHERE a IN ($1, b, $2)"},
		{"INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)", "INSERT INTO t VALUES ($1, $2) /*, ... */, ($3, NULL)"},
		{"INSERT INTO t VALUES (1, 'a'), (2, 'b') RETURNING a", "INSERT INTO t VALUES ($1, $2) /*, ... */ RETURNING a"},
		{`SELECT "A b" FROM "T" WHERE x = $$secret$$ AND y = E'\n' AND z = X'1f'`, `SELECT "A b" FROM "T" WHERE x = $1 AND y = $2 AND z = $3`},
		{"CREATE ROLE r PASSWORD 'secret'", "CREATE ROLE r PASSWORD $1"},
		{"SELECT f(1), -2", "SELECT f($1), -$2"},
		{"'never closed", ""},
	} {
		shape, id := Normalize(c.text)
		if shape != c.shape || strings.Contains(shape, "secret") {
			t.Errorf("%s\n  has shape %s\n  want      %s", c.text, shape, c.shape)
		}
		if again, same := Normalize(shape); c.shape != "" && !strings.Contains(shape, "/*") && !strings.Contains(c.text, "$") && (again != shape || same == 0) {
			t.Errorf("%s has shape %s", shape, again)
		}
		_ = id
	}
	for _, alike := range [][]string{
		{"SELECT a FROM t WHERE b = 1", "select  A from T where B = 'x'", "SELECT a\nFROM t WHERE b = 2.0 -- x"},
		{"SELECT 1 WHERE a IN (1, 2)", "SELECT 9 WHERE a IN (1, 2, 3, 4)", "SELECT 9 WHERE a IN (1)"},
		{"INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1), (2)"},
	} {
		_, first := Normalize(alike[0])
		for _, text := range alike[1:] {
			if _, id := Normalize(text); id != first {
				t.Errorf("%q and %q differ", alike[0], text)
			}
		}
	}
	_, a := Normalize(`SELECT "A" FROM t`)
	if _, b := Normalize(`SELECT "a" FROM t`); a == b {
		t.Error("quoted names of other case are alike")
	}
}

// TestAskable parses the shapes of texts whose constants have types before them.
func TestAskable(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE b > TIMESTAMP '2024-01-01' AND c = 2":                 "SELECT a FROM t WHERE b > $1::TIMESTAMP AND c = $2",
		"SELECT a FROM t WHERE b > timestamp with time zone '2024-01-01'":            "SELECT a FROM t WHERE b > $1::timestamp with time zone",
		"SELECT a FROM t WHERE b > date '2024-01-01' + INTERVAL '1' DAY LIMIT 5":     "SELECT a FROM t WHERE b > $1::date + $2::INTERVAL DAY LIMIT $3",
		"SELECT a FROM t WHERE b BETWEEN 1 AND uuid 'x' AND c NOT LIKE 'x' OFFSET 3": "SELECT a FROM t WHERE b BETWEEN $1 AND $2::uuid AND c NOT LIKE $3 OFFSET $4",
		"SELECT a FROM t WHERE b IN (1, 2)":                                          "SELECT a FROM t WHERE b IN ($1 /*, ... */)",
	} {
		shape, _ := Normalize(text)
		got := Askable(shape)
		if got != want {
			t.Errorf("%s\n  is asked as %s\n  want        %s", text, got, want)
		}
		if _, err := Parse(got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	if got := Askable("'never closed"); got != "'never closed" {
		t.Error(got)
	}
}
