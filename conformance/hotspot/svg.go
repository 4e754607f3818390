package hotspot

import (
	"fmt"
	"strings"
)

const (
	panelW, panelH = 360, 200
	left, top      = 60, 50
	barW, barGap   = 26, 4
)

var colors = []string{"#b0b7c3", "#5b8def", "#1f4fa8"}

// SVG draws results as bars: how much of what its nodes could do each cluster did.
func SVG(rs []Result) string {
	var b strings.Builder
	w, h := len(Workloads)*(panelW+left)+20, top+panelH+70
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", w, h)
	per := len(Nodes) * len(Buckets)
	for i, load := range Workloads {
		panel(&b, load, rs[i*per:(i+1)*per], left+i*(panelW+left))
	}
	for i, n := range Buckets {
		x := left + i*150
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, h-22, colors[i], x+18, h-12, bucketName(n))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func panel(b *strings.Builder, load Workload, rs []Result, x int) {
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="14">%s: throughput as a part of all nodes&#39; together</text>`+"\n", x, top-22, load.Name)
	for p := 0; p <= 100; p += 25 {
		y := top + panelH - panelH*p/100
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#dddddd"/><text x="%d" y="%d" text-anchor="end" fill="#555555">%d %%</text>`+"\n", x, y, x+panelW-20, y, x-6, y+4, p)
	}
	group := (panelW - 20) / len(Nodes)
	for i := range Nodes {
		at := x + i*group + 14
		for j := range Buckets {
			r := rs[i*len(Buckets)+j]
			bh := int(float64(panelH) * min(r.OfIdeal, 1))
			bx := at + j*(barW+barGap)
			fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", bx, top+panelH-bh, barW, bh, colors[j])
			fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" font-size="9">%.0fk</text>`+"\n", bx+barW/2, top+panelH-bh-3, r.RowsPerSecond/1000)
		}
		plural := "s"
		if Nodes[i] == 1 {
			plural = ""
		}
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%d node%s</text>`+"\n", at+len(Buckets)*(barW+barGap)/2, top+panelH+18, Nodes[i], plural)
	}
}
