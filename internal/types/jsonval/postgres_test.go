package jsonval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// generator makes JSON texts, of which some are wrong by a byte.
type generator struct{ *rand.Rand }

// text is a document; wrong ones are made by pulling a right one about.
func (g generator) text() string { return strings.ToValidUTF8(g.bytes(), "") }

func (g generator) bytes() string {
	var b strings.Builder
	g.value(&b, 4)
	s := b.String()
	if g.IntN(3) > 0 {
		return s
	}
	at := g.IntN(len(s) + 1)
	bad := []string{"", ",", `"`, "}", "]", "x", `\`, "-", "0", ":", "\t", "\x01", "\n", "é", `\u`, "nul", "+"}
	switch g.IntN(3) {
	case 0:
		return s[:at]
	case 1:
		return s[:at] + bad[g.IntN(len(bad))] + s[at:]
	}
	return s[:at] + bad[g.IntN(len(bad))] + s[min(at+1+g.IntN(3), len(s)):]
}

func (g generator) value(b *strings.Builder, depth int) {
	g.blank(b)
	defer g.blank(b)
	kind := g.IntN(8)
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		b.WriteString([]string{"null", "true", "false"}[g.IntN(3)])
	case 1, 2:
		b.WriteString(g.number())
	case 3, 4:
		b.WriteString(g.str())
	case 5, 6:
		b.WriteByte('[')
		for i := range g.IntN(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			g.value(b, depth-1)
		}
		b.WriteByte(']')
	default:
		b.WriteByte('{')
		for i := range g.IntN(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			g.blank(b)
			b.WriteString(g.str())
			b.WriteByte(':')
			g.value(b, depth-1)
		}
		b.WriteByte('}')
	}
}

func (g generator) blank(b *strings.Builder) {
	if g.IntN(6) == 0 {
		b.WriteString([]string{" ", "\t", "\n", "\r", "  "}[g.IntN(5)])
	}
}

// number is often one of few, so that values meet equal ones.
func (g generator) number() string {
	if g.IntN(2) == 0 {
		return []string{"0", "1", "-1", "1.0", "-0", "10e-1", "1E2", "100", "2.50"}[g.IntN(9)]
	}
	s := fmt.Sprint(g.Int64N(1 << (1 + g.IntN(60))))
	if g.IntN(2) == 0 {
		s += "." + fmt.Sprint(g.IntN(1000))
	}
	if g.IntN(3) == 0 {
		s += []string{"e", "E"}[g.IntN(2)] + []string{"", "+", "-"}[g.IntN(3)] + fmt.Sprint(g.IntN(30))
	}
	return s
}

func (g generator) str() string {
	parts := []string{"a", "b", "ab", "B", "é", "日", `\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, "😀", `\u001f`, " ", `\ud83d`, `\u0000`}
	var b strings.Builder
	b.WriteByte('"')
	for range g.IntN(3) {
		n := len(parts)
		if g.IntN(20) > 0 {
			n -= 2 // the last are refused
		}
		b.WriteString(parts[g.IntN(n)])
	}
	b.WriteByte('"')
	return b.String()
}

// answers are what jsonb makes of two texts here.
func answers(a, b string) [4]string {
	va, errA := Parse(a)
	vb, errB := Parse(b)
	told := func(v *Value, err error) string {
		if err == nil {
			return string(v.Append(nil))
		}
		e := sqlerr.As(err)
		where, _, _ := strings.Cut(e.Where, "\n")
		return fmt.Sprintf("%s %s %s %s", e.Code, e.Message, e.Detail, where)
	}
	out := [4]string{told(va, errA), "valid"}
	if err := Validate(b); err != nil {
		out[1] = told(nil, err)
	}
	if errA == nil && errB == nil {
		out[2] = fmt.Sprint(Compare(va, vb))
		out[3] = fmt.Sprint(Contains(va, vb))
	}
	return out
}

// askedBoth is a function that answers like answers.
const askedBoth = `
CREATE FUNCTION pg_temp.told(s text, typ text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m text; d text; c text; w text;
BEGIN
	IF typ = 'json' THEN PERFORM s::json; RETURN 'valid'; END IF;
	RETURN s::jsonb::text;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS c = RETURNED_SQLSTATE, m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, w = PG_EXCEPTION_CONTEXT;
	IF w !~ '^JSON' THEN w = ''; END IF;
	RETURN c || ' ' || m || ' ' || d || ' ' || split_part(w, E'\n', 1);
END $$;
CREATE FUNCTION pg_temp.pair(a text, b text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE ja jsonb; jb jsonb;
BEGIN
	ja := a::jsonb; jb := b::jsonb;
	RETURN ARRAY[sign(jsonb_cmp(ja, jb))::text, (ja @> jb)::text];
EXCEPTION WHEN OTHERS THEN
	RETURN ARRAY['', ''];
END $$`

// TestAgainstPostgres reads pairs of random texts here and in PostgreSQL: what the first prints as
// in jsonb, whether the second is json, with the errors, their order, and whether one contains
// the other.
func TestAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	dsn := pgtest.Start(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, askedBoth); err != nil {
		t.Fatal(err)
	}
	const batches, batch = 10, 2000
	seed := seeds.First(t)
	read, refused, equal, contained := 0, 0, 0, 0
	for n := range batches {
		g := generator{rand.New(rand.NewPCG(seed, uint64(n)))}
		as, bs := make([]string, batch), make([]string, batch)
		for i := range as {
			as[i], bs[i] = g.text(), g.text()
			if g.IntN(4) == 0 {
				bs[i] = as[i]
			}
		}
		rows, err := conn.Query(ctx, `SELECT pg_temp.told(a, 'jsonb'), pg_temp.told(b, 'json'), pg_temp.pair(a, b)
			FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS p(a, b, n) ORDER BY n`, as, bs)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; rows.Next(); i++ {
			var want [4]string
			var pair []string
			if err := rows.Scan(&want[0], &want[1], &pair); err != nil {
				t.Fatal(err)
			}
			want[2], want[3] = pair[0], pair[1]
			got := answers(as[i], bs[i])
			if got != want {
				t.Errorf("seed %d/%d:\n%q and %q\n  here     %q\n  postgres %q", seed, n, as[i], bs[i], got, want)
			}
			switch {
			case want[2] == "":
				refused++
			default:
				read++
			}
			if want[2] == "0" {
				equal++
			}
			if want[3] == "true" {
				contained++
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d pairs read, %d refused, %d equal, %d contained", read, refused, equal, contained)
	if min(read, refused, equal, contained) < batches*batch/50 {
		t.Error("the texts are not worth comparing")
	}
}
