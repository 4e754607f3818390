package hotspot

import (
	"fmt"
	"strings"
)

// Table prints results as a table in Markdown, a line per workload and cluster.
func Table(rs []Result) string {
	var b strings.Builder
	b.WriteString("| load | nodes |")
	for _, n := range Buckets {
		fmt.Fprintf(&b, " %s |", bucketName(n))
	}
	b.WriteString("\n|---|--:|" + strings.Repeat("--:|", len(Buckets)) + "\n")
	for i := 0; i < len(rs); i += len(Buckets) {
		fmt.Fprintf(&b, "| %s | %d |", rs[i].Workload.Name, rs[i].Nodes)
		for _, r := range rs[i : i+len(Buckets)] {
			fmt.Fprintf(&b, " %s (%.2f) |", thousands(r.RowsPerSecond), r.OfIdeal)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func bucketName(n int) string {
	if n == 0 {
		return "unsalted"
	}
	return fmt.Sprintf("SALT_BUCKETS = %d", n)
}

func thousands(v float64) string { return fmt.Sprintf("%.0f k/s", v/1000) }
