package rowcodec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/types"
)

// TestSpansGolden shows the spans of conditions. Values are as in the vectors:
// numbers (days and microseconds for dates and times) and 'text'.
//
//	schema buckets=N salt=(i,j)    one column a line: name TYPE [DESC]
//	spans max=N noprune            one conjunction a line, terms joined by "and"
//	resume after=hex reverse       cuts the last spans
func TestSpansGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/spans", func(t *testing.T, path string) {
		var s *KeySchema
		var last *SpanSet
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "schema":
				s = parseSchema(t, d)
				if err := s.Validate(); err != nil {
					return err.Error() + "\n"
				}
				return "ok\n"
			case "spans":
				var opt SpanOptions
				d.MaybeScanArgs(t, "max", &opt.MaxSpans)
				opt.NoPrune = d.HasArg("noprune")
				var conjs []Conj
				for line := range strings.Lines(d.Input) {
					conjs = append(conjs, parseConj(t, s, strings.TrimSpace(line)))
				}
				set, err := s.Spans(conjs, opt)
				if err != nil {
					return err.Error() + "\n"
				}
				if err := checkShape(s, set, opt); err != nil {
					t.Error(err)
				}
				last = set
				return s.Describe(set)
			case "resume":
				var key string
				d.ScanArgs(t, "after", &key)
				left := *last
				left.Buckets = s.ResumeBuckets(last.Buckets, unhex(t, key), d.HasArg("reverse"))
				return s.Describe(&left)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func parseSchema(t *testing.T, d *datadriven.TestData) *KeySchema {
	s := &KeySchema{Table: "t", Adopted: d.HasArg("adopted")}
	d.MaybeScanArgs(t, "buckets", &s.Buckets)
	if arg, ok := d.Arg("salt"); ok {
		for _, v := range arg.Vals {
			n, err := strconv.Atoi(v)
			if err != nil {
				t.Fatal(err)
			}
			s.SaltColumns = append(s.SaltColumns, n)
		}
	}
	kinds := map[string]types.Kind{"BOOLEAN": types.Bool, "VARBINARY": types.Bytea, "VARBINARY_ENCODED": types.Bytea, "BINARY": types.Bytea}
	for k, v := range vectorTypes {
		kinds[k] = v.Kind
	}
	kinds["DATE"] = types.Date
	for line := range strings.Lines(d.Input) {
		f := strings.Fields(line)
		name, width, _ := strings.Cut(strings.TrimSuffix(f[1], ")"), "(")
		typ, ok := ParseType(name)
		kind, ok2 := kinds[name]
		if !ok || !ok2 {
			t.Fatalf("type %q not understood", f[1])
		}
		c := KeyColumn{Name: f[0], Column: Column{Type: typ, SQL: types.Of(kind)}}
		c.Width, _ = strconv.Atoi(width)
		for _, o := range f[2:] {
			c.Desc = c.Desc || o == "DESC"
			c.Nullable = c.Nullable || o == "NULL"
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

var (
	termTuple = regexp.MustCompile(`^\((.*)\) (<|<=|>|>=) \((.*)\)$`)
	termIn    = regexp.MustCompile(`^(\w+) in \((.*)\)$`)
	termLike  = regexp.MustCompile(`^(\w+) like '(.*)%'$`)
	termOp    = regexp.MustCompile(`^(\w+) (=|<|<=|>|>=) (\S+)$`)
	termNull  = regexp.MustCompile(`^(\w+) is (not )?null$`)
	termNot   = regexp.MustCompile(`^(\w+) <> (\S+)$`)
)

func parseConj(t *testing.T, s *KeySchema, line string) Conj {
	c := Conj{Columns: make([][]Range, len(s.Columns))}
	column := func(name string) int {
		for i := range s.Columns {
			if s.Columns[i].Name == strings.TrimSpace(name) {
				return i
			}
		}
		t.Fatalf("no column %q", name)
		return 0
	}
	value := func(i int, text string) types.Datum {
		col := s.Columns[i].Column
		if col.Type == Boolean {
			return types.NewBool(text == "true")
		}
		if b, ok := strings.CutPrefix(text, "x'"); ok {
			return types.NewBytes(unhex(t, strings.TrimSuffix(b, "'")))
		}
		if col.Type == Date || col.Type == Timestamp {
			col.Type, col.SQL = BigInt, types.Of(types.Int8)
		}
		return vectorDatum(t, &col, strings.TrimSpace(text))
	}
	set := func(i int, rs ...Range) {
		if c.Columns[i] == nil {
			c.Columns[i] = rs
			return
		}
		// Two terms on one column are a tuple bound each: the codec intersects them.
		r := rs[0]
		if r.Lo != nil {
			c.Tuples = append(c.Tuples, TupleBound{Columns: []int{i}, Op: map[bool]string{true: ">=", false: ">"}[r.LoIncl], Values: []types.Datum{*r.Lo}})
		}
		if r.Hi != nil {
			c.Tuples = append(c.Tuples, TupleBound{Columns: []int{i}, Op: map[bool]string{true: "<=", false: "<"}[r.HiIncl], Values: []types.Datum{*r.Hi}})
		}
	}
	for _, term := range strings.Split(line, " and ") {
		switch term {
		case "true":
			continue
		case "false":
			c.Columns[0] = []Range{}
			continue
		}
		if m := termNull.FindStringSubmatch(term); m != nil {
			set(column(m[1]), Range{Null: m[2] == ""})
		} else if m := termNot.FindStringSubmatch(term); m != nil {
			d := value(column(m[1]), m[2])
			set(column(m[1]), Range{Hi: &d}, Range{Lo: &d})
		} else if m := termTuple.FindStringSubmatch(term); m != nil {
			tb := TupleBound{Op: m[2]}
			vals := strings.Split(m[3], ",")
			for k, name := range strings.Split(m[1], ",") {
				i := column(name)
				tb.Columns = append(tb.Columns, i)
				tb.Values = append(tb.Values, value(i, strings.TrimSpace(vals[k])))
			}
			c.Tuples = append(c.Tuples, tb)
		} else if m := termIn.FindStringSubmatch(term); m != nil {
			i, rs := column(m[1]), []Range{}
			for _, text := range strings.Split(m[2], ",") {
				d := value(i, strings.TrimSpace(text))
				rs = append(rs, Range{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true})
			}
			set(i, rs...)
		} else if m := termLike.FindStringSubmatch(term); m != nil {
			set(column(m[1]), PrefixRange([]byte(m[2])))
		} else if m := termOp.FindStringSubmatch(term); m != nil {
			i := column(m[1])
			d := value(i, m[3])
			switch m[2] {
			case "=":
				set(i, Range{Lo: &d, Hi: &d, LoIncl: true, HiIncl: true})
			case "<", "<=":
				set(i, Range{Hi: &d, HiIncl: m[2] == "<="})
			default:
				set(i, Range{Lo: &d, LoIncl: m[2] == ">="})
			}
		} else {
			panic(fmt.Sprintf("term %q not understood", term))
		}
	}
	return c
}
