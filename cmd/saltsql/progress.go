package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress shows how many of total rows passed through a reader of lines: as a
// bar that redraws itself on a terminal, else not at all.
type progress struct {
	r     io.Reader
	out   io.Writer
	label string
	total int
	lines int
	start time.Time
	drawn time.Time
	live  bool
}

func newProgress(r io.Reader, out io.Writer, label string, total int) *progress {
	live := false
	if f, ok := out.(*os.File); ok {
		if st, err := f.Stat(); err == nil {
			live = st.Mode()&os.ModeCharDevice != 0
		}
	}
	return &progress{r: r, out: out, label: label, total: total, start: time.Now(), live: live, lines: -1}
}

// Read passes the bytes on and counts the lines; the first is a header.
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.lines += bytes.Count(b[:n], []byte{'\n'})
	if p.live && time.Since(p.drawn) > 100*time.Millisecond {
		p.drawn = time.Now()
		p.draw()
	}
	return n, err
}

const barWidth = 30

func (p *progress) draw() {
	done := min(max(p.lines, 0), p.total)
	full := barWidth * done / max(p.total, 1)
	fmt.Fprintf(p.out, "\r  %-8s [%s%s] %3d%%", p.label, strings.Repeat("#", full), strings.Repeat(".", barWidth-full), 100*done/max(p.total, 1))
}

// end clears the bar and says what was done.
func (p *progress) end(rows int64) {
	if p.live {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", barWidth+24))
	}
	d := time.Since(p.start)
	fmt.Fprintf(p.out, "  %-8s %8d rows in %.1f s (%s rows/s)\n", p.label, rows, d.Seconds(), thousands(int64(float64(rows)/max(d.Seconds(), 1e-6))))
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
