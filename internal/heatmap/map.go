package heatmap

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Map is what is drawn. Each Row has as many cells as there are columns.
type Map struct {
	Title   string
	Unit    string // what a cell has so many of in a second, as "B"; may be empty
	From    time.Time
	Step    time.Duration // of a column
	Columns int
	Rows    []Row
	Notes   []string // below the map: what is missing in it
}

// Row is a part of the table.
type Row struct {
	Label  string
	Cells  []float64 // a second
	Mean   float64   // of all columns, a second
	Remark string
}

// shades are for fifths of the fullest cell; a cell of nothing is blank.
var shades = []rune("·░▒▓█")

// peak is the fullest cell.
func (m *Map) peak() float64 {
	peak := 0.0
	for i := range m.Rows {
		for _, c := range m.Rows[i].Cells {
			peak = max(peak, c)
		}
	}
	return peak
}

// shade is which fifth of the peak a cell is in, from 0; -1 is nothing.
func shade(cell, peak float64) int {
	if cell <= 0 {
		return -1
	}
	return min(int(cell/peak*float64(len(shades))), len(shades)-1)
}

// times gives the columns at which the time is written, with room between them, and the texts. The
// last stands where it ends within the map.
func (m *Map) times() (at []int, texts []string) {
	const text, apart = len("15:04"), 10
	for c := 0; c+text <= m.Columns; c += apart {
		at, texts = append(at, c), append(texts, m.From.Add(time.Duration(c)*m.Step).Format("15:04"))
	}
	return at, texts
}

// Text gives the lines of the map: its title, a line for each row, the time, the shades, and its notes.
func (m *Map) Text() []string {
	peak, wide := m.peak(), 0
	for i := range m.Rows {
		wide = max(wide, utf8.RuneCountInString(m.Rows[i].Label))
	}
	lines := []string{m.Title}
	for i := range m.Rows {
		r := &m.Rows[i]
		var b strings.Builder
		fmt.Fprintf(&b, "%*s |", wide, r.Label)
		for _, c := range r.Cells {
			if s := shade(c, peak); s >= 0 {
				b.WriteRune(shades[s])
			} else {
				b.WriteByte(' ')
			}
		}
		fmt.Fprintf(&b, "| %s", m.rate(r.Mean))
		if r.Remark != "" {
			b.WriteString("  " + r.Remark)
		}
		lines = append(lines, b.String())
	}
	clock := []byte(strings.Repeat(" ", m.Columns))
	at, texts := m.times()
	for i, c := range at {
		copy(clock[c:], texts[i])
	}
	lines = append(lines, strings.TrimRight(strings.Repeat(" ", wide+2)+string(clock), " "))
	if peak > 0 {
		key := strings.Repeat(" ", wide+2)
		for i, s := range shades {
			key += fmt.Sprintf("%c to %s  ", s, strings.TrimSpace(m.rate(peak*float64(i+1)/float64(len(shades)))))
		}
		lines = append(lines, strings.TrimRight(key, " "))
	}
	return append(lines, m.Notes...)
}

// rate writes so much a second in seven places and the unit: "  1.0 k/s".
func (m *Map) rate(v float64) string {
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T"} {
		if v < 999.5 {
			break
		}
		v, prefix = v/1000, p
	}
	number := fmt.Sprintf("%.0f", v)
	if v < 99.5 && v > 0 {
		number = fmt.Sprintf("%.1f", v)
	}
	if v > 0 && v < 0.05 {
		number = fmt.Sprintf("%.2g", v)
	}
	return fmt.Sprintf("%5s %s%s/s", number, prefix, m.Unit)
}
