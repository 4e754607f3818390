package translate

import (
	"strings"
	"testing"
)

// BenchmarkWithText is a translation without the grammar that reads what it gives.
func BenchmarkWithText(b *testing.B) {
	for name, sql := range map[string]string{
		"point":         "SELECT ts, cpu, mem FROM metrics WHERE host = $1 AND ts = $2",
		"thousand_rows": "INSERT INTO t VALUES " + strings.Repeat("($1, $2, 'text', 4, 5.5, NULL, true, 8, 9, 10), ", 999) + "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				err := WithText(sql, func(p *Translator) {
					st := p.BeginStatement()
					p.dml()
					p.render(0, st)
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
