package session

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/planner/explain"
)

// TestListByIndex: rows of ten values of an indexed column, two in a hundred of all, are read by
// the index: a row by its key among others costs as much as some sixteen of a scan.
func TestListByIndex(t *testing.T) {
	c := newClient(t, openDB(t, nil), SessionOptions{})
	c.must("CREATE TABLE s (id INT PRIMARY KEY, k INT, c VARCHAR, pad VARCHAR) SALT_BUCKETS = 4")
	c.must("CREATE INDEX ON s (k)")
	c.must("INSERT INTO s SELECT g, g % 500, 'some text', 'of a row' FROM generate_series(1, 5000) AS g")
	c.must("ANALYZE s")
	const text = "SELECT * FROM s WHERE k IN (5, 17, 20, 100, 101, 200, 222, 300, 400, 499)"
	c.must("EXPLAIN " + text) // which measures it
	list, err := c.s.Split(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	st, err := c.s.PrepareParsed(t.Context(), list[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Join(explain.Lines(st.plan, explain.Options{}, nil), "\n"); !strings.Contains(lines, "Index Lookup") {
		t.Error(lines)
	}
}
