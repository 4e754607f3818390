package rowgen

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
)

// Rows writes the rows of a table.
type Rows struct {
	R *rand.Rand
	w *bufio.Writer
}

// New writes to w. Flush at the end.
func New(w io.Writer, seed1, seed2 uint64) Rows {
	return Rows{rand.New(rand.NewPCG(seed1, seed2)), bufio.NewWriterSize(w, 64<<10)}
}

// Row writes a row; `\N` is NULL.
func (g *Rows) Row(values ...any) {
	for i, v := range values {
		if i > 0 {
			g.w.WriteByte('\t')
		}
		fmt.Fprint(g.w, v)
	}
	g.w.WriteByte('\n')
}

// Flush gives the first error of all rows.
func (g *Rows) Flush() error { return g.w.Flush() }

// Between is a number from low to high, both included.
func (g *Rows) Between(low, high int) int { return low + g.R.IntN(high-low+1) }

// Pick is one of a list.
func (g *Rows) Pick(from []string) string { return from[g.R.IntN(len(from))] }

// Cents is an amount of n cents.
func Cents(n int) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}
