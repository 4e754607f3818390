package servers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
)

// TestHeatmapCommand draws the map of a table as a picture and as text, and refuses what is none.
func TestHeatmapCommand(t *testing.T) {
	p := harness.Start(t, "mem:")
	dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
	c := p.Connect(t)
	harness.MustExec(t, c, `CREATE TABLE "A log" (k INT PRIMARY KEY) SALT_BUCKETS = 4`)
	harness.MustExec(t, c, `INSERT INTO "A log" SELECT i FROM generate_series(1, 100) i`)
	out := harness.MustCommand(t, "heatmap", `"A log"`, "--connect", dsn)
	if !strings.HasPrefix(out, "<svg ") || !strings.Contains(out, "writes of A log a second") {
		t.Errorf("a picture is %s", out)
	}
	out = harness.MustCommand(t, "heatmap", "--by", "key", "--metric", "bytes_written", "--last", "10 min", "--text", `"A log"`, "--connect", dsn)
	if rows := strings.Count(out, " B/s\n"); !strings.HasPrefix(out, "bytes_written of A log") || rows < 8 || rows > 30 {
		t.Errorf("text is\n%s", out)
	}
	for _, args := range [][]string{{"nosuch"}, {`"A log"`, "--metric", "heat"}, {`"A log"`, "--last", "1 day"}, {`"A log"`, "--by", "row"}, {}} {
		if out, status := harness.Command(t, append(append([]string{"heatmap"}, args...), "--connect", dsn)...); status == 0 {
			t.Errorf("%q: %s", args, out)
		}
	}
}
