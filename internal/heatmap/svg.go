package heatmap

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// Sizes in the picture, in pixels.
const (
	cellWidth  = 12
	lineHeight = 16
	charWidth  = 8 // of the monospaced letters, about
)

// SVG gives the map as a picture of its own, without scripts or what is fetched. A cell that is
// pointed at tells its rate.
func (m *Map) SVG() string {
	peak, wide, remarks := m.peak(), 0, 0
	for i := range m.Rows {
		wide, remarks = max(wide, utf8.RuneCountInString(m.Rows[i].Label)), max(remarks, len(m.Rows[i].Remark))
	}
	left := (wide + 2) * charWidth
	right := left + m.Columns*cellWidth
	height := (len(m.Rows) + 3 + len(m.Notes)) * lineHeight
	var b strings.Builder
	width := max(right+(remarks+16)*charWidth, len(m.Title)*charWidth)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	text := func(x, y int, anchor, s string) {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
	}
	text(0, lineHeight-4, "start", m.Title)
	for i := range m.Rows {
		r, y := &m.Rows[i], (i+1)*lineHeight+4
		text(left-charWidth, y+lineHeight-4, "end", r.Label)
		for c, v := range r.Cells {
			if v <= 0 {
				continue
			}
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"><title>%s</title></rect>`+"\n",
				left+c*cellWidth, y, cellWidth, lineHeight, color(v/peak), html.EscapeString(strings.TrimSpace(m.rate(v))))
		}
		text(right+charWidth, y+lineHeight-4, "start", strings.TrimSpace(strings.TrimSpace(m.rate(r.Mean))+"  "+r.Remark))
	}
	at, texts := m.times()
	for i, c := range at {
		text(left+c*cellWidth, (len(m.Rows)+2)*lineHeight, "start", texts[i])
	}
	for i, note := range m.Notes {
		text(0, (len(m.Rows)+3+i)*lineHeight, "start", note)
	}
	fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#888888"/>`+"\n", left, lineHeight+4, m.Columns*cellWidth, len(m.Rows)*lineHeight)
	b.WriteString("</svg>\n")
	return b.String()
}

// color goes from pale yellow by red to black, darker for more of the peak.
func color(part float64) string {
	stops := [][3]float64{{255, 247, 200}, {253, 170, 80}, {215, 48, 31}, {60, 0, 20}}
	at := part * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	var rgb [3]int
	for k := range rgb {
		rgb[k] = int(stops[i][k] + (stops[i+1][k]-stops[i][k])*(at-float64(i)))
	}
	return fmt.Sprintf("#%02x%02x%02x", rgb[0], rgb[1], rgb[2])
}
