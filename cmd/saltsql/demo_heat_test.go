package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

// TestDrawLogs holds what the demo's maps show: one place, eight that are alike, and one of eight that
// gets busy, the only one with a remark.
func TestDrawLogs(t *testing.T) {
	var out bytes.Buffer
	if err := drawLogs(context.Background(), slog.New(slog.DiscardHandler), &out); err != nil {
		t.Fatal(err)
	}
	maps := strings.Split(out.String(), "\n-- ")[1:]
	if len(maps) != len(demoLogs) {
		t.Fatal(out.String())
	}
	for i, want := range []struct{ rows, remarks, full int }{{1, 0, 1}, {8, 0, 8}, {8, 1, 1}} {
		rows, remarks, full := 0, 0, 0
		for _, line := range strings.Split(maps[i], "\n") {
			if !strings.Contains(line, "|") {
				continue
			}
			rows++
			remarks += strings.Count(line, "times the mean")
			if strings.Contains(line, "█") {
				full++
			}
		}
		if rows != want.rows || remarks != want.remarks || full != want.full {
			t.Errorf("%d rows, %d remarks and %d dark rows:\n%s", rows, remarks, full, maps[i])
		}
	}
}
