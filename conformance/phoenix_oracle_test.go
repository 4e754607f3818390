package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/storage"
)

var (
	phoenixOracle = flag.String("phoenix-oracle", "", "command that answers as testdata/phoenix/Oracle.java does")
	phoenixTables = flag.Int("phoenix-tables", 60, "tables of TestPhoenixOracle")
	phoenixPerTab = flag.Int("phoenix-rows", 170, "rows of each, written by either side")
	phoenixSeed   = flag.Uint64("phoenix-seed", 1, "seed of TestPhoenixOracle; also the tables' names")
)

// askPhoenix sends lines to the oracle and gives what it answers to each that it prints.
func askPhoenix(t *testing.T, lines []string) map[string][]string {
	cmd := childproc.Command("sh", "-c", *phoenixOracle)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", *phoenixOracle, err, out)
	}
	answers, at := map[string][]string{}, ""
	in := bufio.NewScanner(bytes.NewReader(out))
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		if row, ok := strings.CutPrefix(in.Text(), "  "); ok {
			answers[at] = append(answers[at], row)
		} else {
			at = in.Text()
			answers[at] = nil
		}
	}
	return answers
}

// TestPhoenixOracle compares random tables with a running Phoenix: what it wrote, attached
// and read here, with its own answers; and what is written here with what it reads then.
func TestPhoenixOracle(t *testing.T) {
	if *phoenixOracle == "" {
		t.Skip("no -phoenix-oracle")
	}
	f := openForeign(t, "mem")
	store, s := f.Store, f.Session
	r := rand.New(rand.NewPCG(*phoenixSeed, 60))
	var lines []string
	var tables []*phoenixTable
	for i := range *phoenixTables {
		p, upserts := randomPhoenix(r, fmt.Sprintf("P%d_%03d", *phoenixSeed, i), *phoenixPerTab)
		tables = append(tables, p)
		lines = append(append(append(lines, p.statement()), upserts...), "SCAN "+p.name, "SELECT * FROM "+p.name)
	}
	answers := askPhoenix(t, lines)
	read := 0
	lines = nil
	var written []*phoenixTable
	for _, p := range tables {
		p.take(t, answers)
		p.lift(t, store)
		sessionRows(t, s, p.attach())
		cols, got := sessionRows(t, s, "SELECT * FROM "+p.name)
		if have, want := exactRows(t, cols, got), exactRows(t, cols, p.rows); !slices.Equal(have, want) {
			t.Errorf("Phoenix wrote %s\n%s", p.create, differing(have, want))
		}
		read += len(p.rows)
		// The same rows go into an empty table of the other name, written here, some of
		// them in parts.
		w := &phoenixTable{name: "W" + p.name, create: "W" + p.create}
		w.lift(t, store)
		sessionRows(t, s, w.attach())
		for _, row := range got {
			w.writeParts(t, r, s, cols, row)
		}
		lines = append(append(append(lines, w.statement()), w.puts(t, store)...), "SELECT * FROM "+w.name)
		written = append(written, w)
	}
	answers = askPhoenix(t, lines)
	wrote := 0
	for _, w := range written {
		w.take(t, answers)
		cols, got := sessionRows(t, s, "SELECT * FROM "+w.name)
		if have, want := exactRows(t, cols, got), exactRows(t, cols, w.rows); !slices.Equal(have, want) {
			t.Errorf("saltsql wrote %s\n%s", w.create, differing(have, want))
		}
		wrote += len(got)
	}
	t.Logf("%d tables: %d rows written by Phoenix, %d by saltsql", len(tables), read, wrote)
}

func (p *phoenixTable) statement() string { return "CREATE TABLE " + p.create }

// take keeps the oracle's answers about the table.
func (p *phoenixTable) take(t *testing.T, answers map[string][]string) {
	for _, sql := range []string{p.statement(), "SELECT * FROM " + p.name} {
		if rows, ok := answers[sql]; !ok || len(rows) > 0 && strings.HasPrefix(rows[0], "ERROR") {
			t.Fatalf("%s: %v", sql, rows)
		}
	}
	for _, row := range answers["SELECT * FROM "+p.name] {
		p.rows = append(p.rows, strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|"))
	}
	for _, cell := range answers["SCAN "+p.name] {
		var part [4][]byte
		for i, s := range strings.Split(cell, " ")[1:] {
			part[i], _ = hex.DecodeString(s)
		}
		p.cells = append(p.cells, phoenixCell{key: part[0], family: string(part[1]), qualifier: part[2], value: part[3]})
	}
}

// writeParts writes a row: whole, or its key and some columns and then the others.
func (p *phoenixTable) writeParts(t *testing.T, r *rand.Rand, s *saltsql.Session, cols []saltsql.Column, row []string) {
	keys := p.keys()
	parts := [][]int{nil, nil}
	for i := keys; i < len(cols); i++ {
		k := r.IntN(3) / 2
		parts[k] = append(parts[k], i)
	}
	for k, part := range parts {
		if k > 0 && len(part) == 0 {
			continue
		}
		var names, vals []string
		for _, i := range append(seq(keys), part...) {
			names, vals = append(names, cols[i].Name), append(vals, quotedLiteral(row[i], cols[i].Type.String()))
		}
		sessionRows(t, s, fmt.Sprintf("UPSERT INTO %s (%s) VALUES (%s)", p.name, strings.Join(names, ", "), strings.Join(vals, ", ")))
	}
}

func seq(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// puts gives the cells of the storage table as lines for the oracle.
func (p *phoenixTable) puts(t *testing.T, store storage.Store) (lines []string) {
	req := &storage.ScanRequest{Spans: []storage.Span{{}}}
	err := storage.EachBatch(context.Background(), store.Table(p.name), req, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			for j := range b.Refs(i) {
				c := b.Cell(i, j)
				lines = append(lines, fmt.Sprintf("PUT %s %X %X %X %X", p.name, b.Key(i), c.Family, c.Qualifier, c.Value))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// exactValue is phoenixValue in full. What is let pass: of a TIME the date beside it, and at
// the end of a key the last byte FF of a VARBINARY, which Phoenix loses.
func exactValue(t testing.TB, v string, c saltsql.Column) string {
	switch typ := c.Type.String(); {
	case typ == "bytea" && strings.HasPrefix(c.Name, "c"):
		return strings.ToLower(strings.TrimPrefix(v, `\x`))
	case typ == "numeric" || strings.HasPrefix(typ, "numeric("):
		return exactNumber(t, v)
	default:
		return phoenixValue(t, v, typ)
	}
}

// exactRows is phoenixRows for values in full.
func exactRows(t testing.TB, cols []saltsql.Column, rows [][]string) []string {
	return comparedRows(t, cols, rows, exactValue)
}
