package hotspot

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

// TestSalting: keys that grow keep one node busy, whatever the cluster has; with
// as many buckets as nodes they use at least 0.9 of all of them.
func TestSalting(t *testing.T) {
	seeds.Sometimes(t)
	rs, err := RunAll()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("rows a second, and the part of what the nodes could do:\n%s", Table(rs))
	of := map[[2]int]map[string]Result{}
	for _, r := range rs {
		k := [2]int{r.Buckets, r.Nodes}
		if of[k] == nil {
			of[k] = map[string]Result{}
		}
		of[k][r.Workload.Name] = r
	}
	for _, w := range Workloads {
		for _, nodes := range Nodes {
			unsalted := of[[2]int{0, nodes}][w.Name]
			for _, b := range Buckets {
				r := of[[2]int{b, nodes}][w.Name]
				if b >= nodes && r.OfIdeal < 0.9 {
					t.Errorf("%s, %d buckets on %d nodes: %.2f of the ideal", w.Name, b, nodes, r.OfIdeal)
				}
				// Phoenix's own measurement of salting is +80 %.
				if b >= nodes && nodes > 1 && r.RowsPerSecond < 1.8*unsalted.RowsPerSecond {
					t.Errorf("%s, %d buckets on %d nodes: %.1f times the unsalted", w.Name, b, nodes, r.RowsPerSecond/unsalted.RowsPerSecond)
				}
			}
		}
	}
	for _, nodes := range Nodes {
		if r := of[[2]int{0, nodes}]["ingest"]; r.OfIdeal > 1.1/float64(nodes) {
			t.Errorf("unsalted on %d nodes: %.2f of the ideal: the model does not show the hot spot", nodes, r.OfIdeal)
		}
	}
	checkPage(t, rs)
}

// checkPage holds docs/ against what go generate would write.
func checkPage(t *testing.T, rs []Result) {
	docs := filepath.Join("..", "..", "docs")
	text, err := os.ReadFile(filepath.Join(docs, "salting.md"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Page(string(text), rs)
	if err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(filepath.Join(docs, "salting.svg"))
	if err != nil {
		t.Fatal(err)
	}
	if want != string(text) || SVG(rs) != string(svg) {
		t.Error("docs/salting.md and salting.svg are not what the simulation gives: run go generate ./conformance/hotspot")
	}
}
