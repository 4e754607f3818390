package main

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
)

//go:generate go test . -run TestHeatPicture -rewrite-picture
var rewritePicture = flag.Bool("rewrite-picture", false, "write the README's picture of the demo's heat map")

// TestHeatPicture holds the README's picture against the demo's map.
func TestHeatPicture(t *testing.T) {
	const file = "../../docs/heat.svg"
	var svg string
	err := withLogs(t.Context(), slog.New(slog.DiscardHandler), func(s *saltsql.Session) error {
		rows, err := s.Query(t.Context(), "SELECT saltsql.heatmap_svg('by_tenant')")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			svg += rows.Text(0) + "\n"
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if *rewritePicture {
		if err := os.WriteFile(file, []byte(svg), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if was, err := os.ReadFile(file); err != nil || string(was) != svg {
		t.Errorf("%s is not the demo's map: go generate ./cmd/saltsql (%v)", file, err)
	}
}

// TestDrawLogs holds what the demo's maps show: a diagonal, for each range of keys is written for some
// minutes and never again; eight buckets that are alike; and one of eight that gets busy, the only one with
// a remark.
func TestDrawLogs(t *testing.T) {
	var out bytes.Buffer
	if err := drawLogs(context.Background(), slog.New(slog.DiscardHandler), &out); err != nil {
		t.Fatal(err)
	}
	maps := strings.Split(out.String(), "\n-- ")[1:]
	if len(maps) != len(demoLogs) {
		t.Fatal(out.String())
	}
	for i, want := range []struct{ rows, remarks, full int }{{24, 0, 9}, {8, 0, 8}, {8, 1, 1}} {
		rows, remarks, full, last := 0, 0, 0, 0
		for _, line := range strings.Split(maps[i], "\n") {
			if !strings.Contains(line, "|") {
				continue
			}
			rows++
			if cells := []rune(strings.Split(line, "|")[1]); i == 0 {
				first, n := 0, len([]rune(strings.TrimSpace(string(cells))))
				for cells[first] == ' ' {
					first++
				}
				if first < last || n > 6 {
					t.Errorf("a range of keys is written again:\n%s", line)
				}
				last = first
			}
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
