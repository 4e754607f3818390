package heatmap

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew")

// maps are those of the goldens.
func maps() map[string]*Map {
	at := time.Date(2026, 11, 29, 15, 0, 0, 0, time.UTC)
	cells := func(n int, of func(c int) float64) []float64 {
		out := make([]float64, n)
		for c := range out {
			out[c] = of(c)
		}
		return out
	}
	hot := &Map{Title: "writes of events", From: at, Step: time.Minute, Columns: 60}
	for i, label := range []string{"4", "5", "16"} {
		r := Row{Label: label, Mean: 1000, Cells: cells(60, func(c int) float64 { return 1000 + float64(c*7%5)*100 })}
		if i == 1 {
			r = Row{Label: label, Mean: 6000, Remark: "2.4 times the mean; 1.0 is chance", Cells: cells(60, func(c int) float64 { return float64(max(0, c-20)) * 200 })}
		}
		hot.Rows = append(hot.Rows, r)
	}
	diagonal := &Map{Title: `bytes_read of "a<b&c"`, Unit: "B", From: at, Step: 3 * time.Minute, Columns: 8}
	for i := range 8 {
		diagonal.Rows = append(diagonal.Rows, Row{Label: strings.Repeat("é", i), Mean: 1e9 / float64(i+1), Cells: cells(8, func(c int) float64 {
			if c == 7-i {
				return 1e9
			}
			return 0
		})})
	}
	return map[string]*Map{"hot": hot, "diagonal": diagonal, "nothing": {Title: "writes of t", From: at, Step: time.Minute, Columns: 3, Rows: []Row{{Label: "all", Cells: make([]float64, 3)}}, Notes: []string{"Server a/1 & b keeps no minutes of it."}}}
}

// TestMaps draws goldens: -rewrite writes them.
func TestMaps(t *testing.T) {
	for name, m := range maps() {
		for file, got := range map[string]string{name + ".txt": strings.Join(m.Text(), "\n") + "\n", name + ".svg": m.SVG()} {
			path := "testdata/" + file
			if *rewrite {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || got != string(want) {
				t.Errorf("%s is not as it was (%v):\n%s", path, err, got)
			}
		}
		d := xml.NewDecoder(strings.NewReader(m.SVG()))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s.svg is no XML: %v", name, err)
			}
		}
	}
}

// TestBytes holds the cells as bytes: nothing, the least, the fullest.
func TestBytes(t *testing.T) {
	m := &Map{Columns: 2, Rows: []Row{{Cells: []float64{0, 0.001}}, {Cells: []float64{500, 1000}}}}
	if got := m.Bytes(); string(got) != "\x00\x01\x80\xff" {
		t.Errorf("cells are % x", got)
	}
}

// TestRates writes rates from the smallest to the largest.
func TestRates(t *testing.T) {
	m := &Map{Unit: "B"}
	for v, want := range map[float64]string{0: "0 B/s", 0.004: "0.004 B/s", 0.05: "0.1 B/s", 1: "1.0 B/s", 99.6: "100 B/s", 999.4: "999 B/s", 999.6: "1.0 kB/s", 12345: "12.3 kB/s", 4.2e15: "4200 TB/s"} {
		if got := strings.TrimSpace(m.rate(v)); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
