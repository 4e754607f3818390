package copyfmt

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func names(cols []Column) []string {
	var out []string
	for _, c := range cols {
		out = append(out, c.Name)
	}
	return out
}

// parseOptions reads "name=value" words; 'x' quotes a value, (a,b) is a list.
func parseOptions(text string, from bool, cols []Column) (*Options, error) {
	var list []Option
	for _, w := range strings.Fields(text) {
		name, value, ok := strings.Cut(w, "=")
		o := Option{Name: name, Value: value, HasValue: ok}
		switch {
		case value == "*":
			o.Star = true
		case strings.HasPrefix(value, "("):
			o.List = strings.Split(strings.Trim(value, "()"), ",")
		case len(value) > 1 && value[0] == '\'':
			o.Value = strings.NewReplacer("TAB", "\t", "NL", "\n").Replace(strings.Trim(value, "'"))
		}
		list = append(list, o)
	}
	return NewOptions(list, from, names(cols))
}

func parseColumns(text string) ([]Column, error) {
	var cols []Column
	for _, w := range strings.Split(text, ",") {
		name, typ, _ := strings.Cut(strings.TrimSpace(w), " ")
		var mods []int32
		if base, n, ok := strings.Cut(strings.TrimSuffix(typ, ")"), "("); ok {
			var m int32
			fmt.Sscan(n, &m)
			typ, mods = base, []int32{m}
		}
		t, err := types.FromName(typ, mods, false)
		if err != nil {
			return nil, err
		}
		cols = append(cols, Column{name, t})
	}
	return cols, nil
}

func showFault(err error) string {
	e := sqlerr.As(err)
	if e == nil {
		return fmt.Sprintf("fault: %v\n", err)
	}
	s := fmt.Sprintf("error %s: %s\n", e.SQLState(), e.Message)
	if e.Hint != "" {
		s += "hint: " + e.Hint + "\n"
	}
	if e.Where != "" {
		s += "where: " + e.Where + "\n"
	}
	return s
}

// readAll prints every row with its line.
func readAll(r *Reader) string {
	var out strings.Builder
	for {
		b, lines, err := r.Read()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			return out.String() + showFault(err)
		}
		for i := range b.Rows() {
			fmt.Fprintf(&out, "%d:", lines.First+int64(i))
			for _, v := range b.Cols {
				if v.Null(i) {
					out.WriteString(" NULL")
					continue
				}
				fmt.Fprintf(&out, " %q", types.AppendText(nil, v.Type, v.Datum(i), nil))
			}
			out.WriteByte('\n')
		}
	}
}

// TestRead runs testdata/read. Data is as written, but for <cr>, <nul>, <tab> and
// <ff>; a final newline is dropped with <end>. Each case is also read byte by byte.
func TestRead(t *testing.T) {
	datadriven.Walk(t, "testdata/read", func(t *testing.T, path string) {
		cols := []Column{{"a", types.Of(types.Int4)}, {"b", types.Of(types.Text)}}
		options := ""
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "columns":
				var err error
				if cols, err = parseColumns(d.Input); err != nil {
					return showFault(err)
				}
				return ""
			case "options":
				options = d.Input
				if _, err := parseOptions(options, true, cols); err != nil {
					return showFault(err)
				}
				return "ok\n"
			case "to-options":
				if _, err := parseOptions(d.Input, false, cols); err != nil {
					return showFault(err)
				}
				return "ok\n"
			}
			o, err := parseOptions(options, true, cols)
			if err != nil {
				t.Fatal(err)
			}
			data := caseData(t, d)
			got := readAll(NewReader(bytes.NewReader(data), o, "t", cols, nil))
			if slow := readAll(NewReader(iotest.OneByteReader(bytes.NewReader(data)), o, "t", cols, nil)); slow != got {
				t.Errorf("%s: byte by byte gives\n%s", d.Pos, slow)
			}
			return got
		})
	})
}

// caseData gives the bytes of a case.
func caseData(t *testing.T, d *datadriven.TestData) []byte {
	if d.Cmd == "hex" {
		data, err := hex.DecodeString(strings.Join(strings.Fields(d.Input), ""))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	text := strings.NewReplacer("<cr>", "\r", "<nul>", "\x00", "<tab>", "\t", "<ff>", "\xff").Replace(d.Input) + "\n"
	if cut, ok := strings.CutSuffix(text, "<end>\n"); ok {
		text = cut
	}
	return []byte(text)
}

func randomText(rng *rand.Rand) []byte {
	alphabet := []string{"a", "b", "\\", "\t", "\n", "\r", "\"", ",", "'", ".", "N", "é", "日", " ", "\b", "\v", "|", "x", "1", "\x01"}
	var b []byte
	for range rng.IntN(12) {
		b = append(b, alphabet[rng.IntN(len(alphabet))]...)
	}
	return b
}

// TestRoundTrip: what Writer prints Reader reads back, for every format and option,
// however the bytes are cut.
func TestRoundTrip(t *testing.T) {
	seed := seeds.First(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	cols := []Column{{"a", types.Of(types.Text)}, {"b", types.Of(types.Int8)}, {"c", types.Of(types.Text)}, {"d", types.Of(types.Float8)}, {"e", types.Of(types.Bool)}}
	options := []string{
		"", "delimiter=|", "null=none", "header", "delimiter='-' null=NULL",
		"format=csv", "format=csv header", "format=csv null=\\N", "format=csv quote='", "format=csv escape=\\",
		"format=csv delimiter='TAB' force_quote=(a,b)", "format=csv force_quote=*", "format=csv delimiter=1",
		"format=binary",
	}
	for round := range 40 {
		for _, opt := range options {
			n := rng.IntN(2500)
			if round > 2 {
				n = rng.IntN(40)
			}
			checkRoundTrip(t, rng, cols, opt, n)
		}
	}
}

func checkRoundTrip(t *testing.T, rng *rand.Rand, cols []Column, opt string, n int) {
	t.Helper()
	out, err := parseOptions(opt, false, cols)
	if err != nil {
		t.Fatal(opt, err)
	}
	in, err := parseOptions(strings.ReplaceAll(strings.ReplaceAll(opt, "force_quote=(a,b)", ""), "force_quote=*", ""), true, cols)
	if err != nil {
		t.Fatal(opt, err)
	}
	ts := make([]types.T, len(cols))
	for i := range cols {
		ts[i] = cols[i].Type
	}
	w := NewWriter(out, cols, nil)
	data := w.AppendHeader(nil)
	var want []string
	for len(want) < n {
		b := vec.NewBatch(ts)
		b.N = min(100, n-len(want))
		for _, v := range b.Cols {
			v.Resize(b.N)
		}
		for i := range b.N {
			row := []types.Datum{
				types.NewBytes(randomText(rng)), types.NewInt(rng.Int64() - 1<<62), types.NewBytes(randomText(rng)),
				types.NewFloat(rng.NormFloat64()), types.NewBool(rng.IntN(2) == 0),
			}
			var line strings.Builder
			for j, d := range row {
				if d.Null = rng.IntN(5) == 0; d.Null {
					line.WriteString("NULL ")
				} else {
					fmt.Fprintf(&line, "%q ", types.AppendText(nil, ts[j], d, nil))
				}
				b.Cols[j].Set(i, d)
			}
			want = append(want, line.String())
			if data, err = w.AppendRow(data, b, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	data = w.AppendTrailer(data)
	for _, src := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data))} {
		r := NewReader(src, in, "t", cols, nil)
		got := 0
		for {
			b, _, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: row %d: %v\n%q", opt, got+1, err, data)
			}
			for i := range b.Rows() {
				var line strings.Builder
				for _, v := range b.Cols {
					if v.Null(i) {
						line.WriteString("NULL ")
					} else {
						fmt.Fprintf(&line, "%q ", types.AppendText(nil, v.Type, v.Datum(i), nil))
					}
				}
				if line.String() != want[got] {
					t.Fatalf("%q: row %d: got %s want %s\n%q", opt, got+1, line.String(), want[got], data)
				}
				got++
			}
		}
		if got != n {
			t.Fatalf("%q: %d rows of %d", opt, got, n)
		}
	}
}

// TestSourceErrors: an error of the source comes out, after the rows before it.
func TestSourceErrors(t *testing.T) {
	broken := errors.New("broken")
	cols := []Column{{"a", types.Of(types.Int4)}}
	for _, opt := range []string{"", "format=csv", "format=binary"} {
		o, _ := parseOptions(opt, true, cols)
		r := NewReader(io.MultiReader(strings.NewReader("1\n2\n3"), iotest.ErrReader(broken)), o, "t", cols, nil)
		var err error
		for err == nil {
			_, _, err = r.Read()
		}
		if !errors.Is(err, broken) && opt != "format=binary" {
			t.Errorf("%s: %v", opt, err)
		}
	}
}

// TestLongLine: a line longer than the buffer, in pieces.
func TestLongLine(t *testing.T) {
	cols := []Column{{"a", types.Of(types.Text)}, {"b", types.Of(types.Int4)}}
	long := strings.Repeat("0123456789", 300_000)
	for _, c := range []struct{ opt, data string }{
		{"", "x\t0\n" + long + "\t1\n" + long + "\t2\n"},
		{"format=csv", "x,0\n\"" + long + "\n" + long + "\",1\n" + long + ",2\n"},
	} {
		o, _ := parseOptions(c.opt, true, cols)
		r := NewReader(strings.NewReader(c.data), o, "t", cols, nil)
		rows := 0
		for {
			b, _, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			rows += b.Rows()
		}
		if rows != 3 {
			t.Error(c.opt, rows)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, s := range []string{"1\ta\n", "1\t\\x41\\101\\.\n", "\"a\n\"\"b\",1\r\n", signature + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02"} {
		for i := range 4 {
			f.Add([]byte(s), uint8(i))
		}
	}
	cols := []Column{{"a", types.Of(types.Int4)}, {"b", types.Of(types.Text)}}
	options := []string{"", "format=csv header=match", "format=csv escape=\\ force_null=(b)", "format=binary"}
	f.Fuzz(func(t *testing.T, data []byte, which uint8) {
		o, err := parseOptions(options[int(which)%len(options)], true, cols)
		if err != nil {
			t.Fatal(err)
		}
		whole := readAll(NewReader(bytes.NewReader(data), o, "t", cols, nil))
		if cut := readAll(NewReader(iotest.OneByteReader(bytes.NewReader(data)), o, "t", cols, nil)); cut != whole {
			t.Fatalf("%q: whole\n%s\nbyte by byte\n%s", data, whole, cut)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	cols := []Column{{"a", types.Of(types.Int8)}, {"b", types.Of(types.Text)}, {"c", types.Of(types.Float8)}}
	for _, c := range []struct{ opt, line string }{
		{"", "1234567\tsome text here\t1.5\n"}, {"format=csv", "1234567,some text here,1.5\n"}, {"format=csv quote='", "1234567,'some text here',1.5\n"},
	} {
		data := []byte(strings.Repeat(c.line, 100_000))
		o, err := parseOptions(c.opt, true, cols)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.ReplaceAll(c.opt, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r := NewReader(bytes.NewReader(data), o, "t", cols, nil)
				for {
					if _, _, err := r.Read(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*100_000), "ns/row")
		})
	}
}
