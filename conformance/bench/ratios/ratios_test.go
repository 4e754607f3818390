package main

import (
	"strings"
	"testing"
)

// TestReport reads what go test prints, takes the median of runs, and says what is missed and why.
func TestReport(t *testing.T) {
	times, err := read(strings.NewReader(`goos: linux
BenchmarkA/saltsql-2    100    1000 ns/op    5 B/op
BenchmarkA/saltsql-2    100    3000 ns/op
BenchmarkA/saltsql-2    100    2000 ns/op
BenchmarkA/postgres-2   100    4000 ns/op
BenchmarkA/floor-2      100    1234567 ns/op
BenchmarkB/salt-16-2    1      900 ns/op
BenchmarkB/postgres-2   1      450 ns/op
PASS
`))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = report(&out, []goal{
		{"a", "A/saltsql", "A/postgres", "A/floor", 2, ""},
		{"b", "B/salt-16", "B/postgres", "", 0.6, "of the tides"},
		{"c", "C/saltsql", "C/postgres", "", 1, ""},
	}, times)
	const want = `| what | saltsql | beside | rate | goal | floor  | to it |        |
|---   |---      |---     |---   |---   |---     |---    |---     |
| a    | 2µs     | 4µs    | 2.00 | 2.00 | 1.23ms | 0.00  |        |
| b    | 900ns   | 450ns  | 0.50 | 0.60 |        |       | missed |

1 of 2 goals are met.

Missed: of the tides
- b

Not run:
- c
`
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := report(&out, goals(), times); err == nil {
		t.Error("no benchmark of a goal was run, and nothing said so")
	}
}

// TestGoalsAreApart has each goal ask something else.
func TestGoalsAreApart(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range goals() {
		if seen[g.what] || seen[g.own] || g.want <= 0 || g.own == g.beside {
			t.Errorf("%+v", g)
		}
		seen[g.what], seen[g.own] = true, true
	}
}
