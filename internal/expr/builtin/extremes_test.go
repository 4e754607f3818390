package builtin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/exprtest"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// extremeSeed chooses the arguments where there are too many lists of them; the gate
// asks the same every time.
var extremeSeed = flag.Uint64("extremes", 1, "seed of the calls compared with PostgreSQL")

// moreExtremes are values that TestSweep does not need.
var moreExtremes = map[types.Kind][]string{
	types.Int4:        {"2", "-7", "1000000", "64"},
	types.Int8:        {"1", "3", "64", "4294967296"},
	types.Numeric:     {"2", "9.99", "400000", "130000", "1e131000", "-1e131000", "1e-16000", "0.0000001", "-2147483648.5", "9223372036854775807.5"},
	types.Float8:      {"2", "1e-320", "-1e308", "1e18", "9223372036854775807", "0.1", "-0", "-Infinity", "710", "1000"},
	types.Float4:      {"1e-45", "3.4e38", "Infinity", "16777217"},
	types.Text:        {"0x10", "{1,}", "123", "1e400", "-", "infinity", "2024-13-45", "24:00:01", "99999999-01-01", "%1000000$s", "%s", "aAbB", "\t"},
	types.Date:        {"1970-01-01", "0001-01-01", "9999-12-31"},
	types.Timestamp:   {"-infinity", "1970-01-01 00:00"},
	types.Timestamptz: {"infinity", "294246-12-31 23:59:59+00", "2000-01-01 00:00+00"},
	types.Time:        {"23:59:59.999999", "12:00"},
	types.Interval:    {"-178000000 years", "1 day", "1 sec", "1 mon", "-1 day"},
	types.JSON:        {`{"a":{"b":[1,2]}}`, "3"},
	types.JSONB:       {`{"a":{"b":[1,2]}}`, "3", `[1,2,3]`},
	types.Bytea:       {`\x0102030405060708090a`},
}

// withoutPostgres are functions that answer otherwise for a reason, or that a
// PostgreSQL without our objects answers otherwise.
var withoutPostgres = map[string]string{
	"now": "the clock", "transaction_timestamp": "the clock", "current_timestamp": "the clock", "statement_timestamp": "the clock",
	"localtime": "the clock", "localtimestamp": "the clock", "age(timestamp)": "the clock", "age(timestamptz)": "the clock",
	"pg_backend_pid": "another process", "version": "another program", "pg_encoding_to_char": "one encoding only",
	"convert": "one encoding only", "convert_from": "one encoding only", "convert_to": "one encoding only", "length(bytea,name)": "one encoding only",
	"col_description": "no catalog here", "obj_description": "no catalog here", "pg_get_serial_sequence": "no catalog here",
	"pg_indexes_size": "no catalog here",
	"initcap":         "the oracle's locale is C", "upper": "the oracle's locale is C", "lower": "the oracle's locale is C",
	"extract":       "ToText cannot write a unit that is no word",
	"date_part":     "'infinity' is a unit to PostgreSQL, which it then refuses by 0A000",
	"make_interval": "PostgreSQL 15 wraps around in silence",
	"date_bin":      "PostgreSQL 15 wraps around in silence",
	"width_bucket(float8,float8,float8,int4)":                "PostgreSQL 15 wraps around in silence",
	"width_bucket(numeric,numeric,numeric,int4)":             "PostgreSQL 15 rounds the quotient before it counts",
	"make_timestamptz(int4,int4,int4,int4,int4,float8,text)": "PostgreSQL takes any text for a POSIX zone",
	"timezone(text,timestamptz)":                             "PostgreSQL takes any text for a POSIX zone", "timezone(text,timestamp)": "PostgreSQL takes any text for a POSIX zone",
	"overlaps":       "timestamps end with the year 294246 here",
	"reverse_labels": "PostgreSQL has it not",
	"to_regtype":     "PostgreSQL 15 lets the parser's 42601 out",
}

// extremesOf gives constants of a type, NULL last.
func extremesOf(t *testing.T, ty types.T) []expr.Expr {
	var out []expr.Expr
	for _, s := range moreExtremes[ty.Kind] {
		d, err := types.ParseString(ty, s, nil)
		if err != nil {
			t.Fatal(ty, s, err)
		}
		out = append(out, &expr.Const{Value: d, T: ty})
	}
	return append(out, exprtest.ValuesOf(t, ty)...)
}

// TestExtremesAgainstPostgres calls every overload of every function and operator
// with values from the edges of its types, here and in PostgreSQL, and compares
// values and SQLSTATEs. No value of a user's may be answered with XX000.
func TestExtremesAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	t.Logf("seed %d", *extremeSeed)
	r := rand.New(rand.NewPCG(*extremeSeed, 1))
	o := newOracle(t)
	o.others = otherCalls
	all := expr.Overloads()
	for i := range seeds.Part(t, len(all), seeds.Whole) {
		f := all[i]
		if strings.Contains(f.Name, ".") { // of Phoenix's schema or ours: TestSweep calls them
			continue
		}
		if f.Volatile || withoutPostgres[f.Name] != "" || withoutPostgres[f.Identity()] != "" {
			continue
		}
		for _, args := range argumentsOf(t, r, f) {
			o.ask(f, args)
		}
	}
	o.compare(t)
}

// otherCalls are parts of calls that are answered otherwise, with the reason.
var otherCalls = map[string]string{
	"'2562047788:00:54.775807'::interval + '": "timestamps end with the year 294246 here", "+ '2562047788": "as before", "294246-12-31": "as before",
	"AT TIME ZONE '2562047788": "PostgreSQL 15 wraps around in silence",
	"repeat(''":                "PostgreSQL takes longer than its statement_timeout",
}

// otherInputs are the same of texts to be read as a type.
var otherInputs = map[string]string{
	"[0:1]=": "lower bounds other than 1 are refused (0A000)", "regtype": "PostgreSQL 15 lets the parser's 42601 out",
	"'1_000'": "22007 where PostgreSQL's date parser says 22008", "'-32769'": "22007 where PostgreSQL's date parser says 22009",
	"Nowhere": "22007 where PostgreSQL's date parser says 22023", "'YYYY-MM-DD'::text)::time": "as Nowhere", "'-1e400'::time": "as Nowhere", "a0eebc99": "as Nowhere", "ud800": "as Nowhere; refused in json at once, PostgreSQL 15 takes a lone surrogate",
	"'2024-13-45'::text)::interval": "22007 where PostgreSQL says 22015", "'%1000000$s'::text)::": "as '1_000'",
	"'.'::interval": "refused", "'P1'": "refused", "'PT'": "refused", "'2024-13-45'::interval": "22007 where PostgreSQL says 22015", "'23:60'::interval": "as before",
}

// argumentsOf chooses up to 60 lists of arguments for an overload: all where there are
// no more.
func argumentsOf(t *testing.T, r *rand.Rand, f *expr.Func) [][]expr.Expr {
	const most = 60
	choices := make([][]expr.Expr, len(f.ArgTypes))
	all := 1
	for i, a := range f.ArgTypes {
		for _, k := range exprtest.ConcreteKinds(a) {
			choices[i] = append(choices[i], extremesOf(t, k)...)
		}
		all = min(all*len(choices[i]), 1<<20)
	}
	var out [][]expr.Expr
	for n := range min(all, most) {
		args := make([]expr.Expr, len(choices))
		k := n
		for i, c := range choices {
			if all <= most {
				args[i] = c[k%len(c)]
				k /= len(c)
			} else {
				args[i] = c[r.IntN(len(c))]
			}
		}
		out = append(out, args)
	}
	return out
}

// oracle collects expressions and what they give here, and asks PostgreSQL for all of
// them at once.
type oracle struct {
	conn  *pgx.Conn
	env   *expr.Env
	texts []string
	ours  []string
	// others are parts of texts that are known to be answered otherwise.
	others map[string]string
	// floats are answers of functions and roots over floats, whose last digits are the C library's.
	floats []bool
}

// nearly says that two floats differ in their last digits only.
func nearly(float bool, a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return float && errX == nil && errY == nil && math.Abs(x-y) <= 1e-14*math.Abs(y)
}

func newOracle(t *testing.T) *oracle {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(ctx) })
	if _, err := conn.Exec(ctx, "SET statement_timeout = '5s'; CREATE EXTENSION IF NOT EXISTS pgcrypto; CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\"; DROP TYPE IF EXISTS letter; CREATE TYPE letter AS ENUM ('a', 'b')"); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	return &oracle{conn: conn, env: &expr.Env{Ctx: ctx, User: "postgres", SessionUser: "postgres", Database: "postgres", SearchPath: []string{"public"}, Now: now, StmtTime: now}}
}

// ask adds a call of f; what does not bind here is not asked.
func (o *oracle) ask(f *expr.Func, args []expr.Expr) {
	e, err := expr.Apply(f, args, 0)
	if err == nil {
		o.add(e)
	}
}

func (o *oracle) add(e expr.Expr) {
	o.texts = append(o.texts, expr.ToText(e))
	o.ours = append(o.ours, o.here(e))
	c, ok := e.(*expr.Call)
	o.floats = append(o.floats, ok && c.T.Kind == types.Float8 && (!c.Fn.IsOperator() || c.Fn.Name == "^" || c.Fn.Name == "||/"))
}

func (o *oracle) here(e expr.Expr) (answer string) {
	defer func() {
		if r := recover(); r != nil {
			answer = fmt.Sprint("PANIC ", r)
		}
	}()
	d, err := eval.EvalConst(o.env, e)
	switch {
	case err != nil:
		return "ERROR " + sqlerr.CodeOf(err).String()
	case d.Null:
		return "NULL"
	}
	return types.Format(e.Type(), d, o.env.TextIO())
}

func (o *oracle) compare(t *testing.T) {
	t.Helper()
	faults, shown := 0, map[string]int{}
	for i, text := range o.texts {
		if slices.ContainsFunc(slices.Collect(maps.Keys(o.others)), func(s string) bool { return strings.Contains(text, s) }) {
			continue
		}
		if theirs := o.theirs(t, text); theirs != o.ours[i] && !nearly(o.floats[i], o.ours[i], theirs) {
			faults++
			name, _, _ := strings.Cut(text, "(")
			if shown[name]++; shown[name] <= 20 {
				t.Errorf("%.300s\n  here     %.200s\n  postgres %.200s", text, o.ours[i], theirs)
			}
		}
	}
	t.Logf("%d expressions, %d differ", len(o.texts), faults)
}

func (o *oracle) theirs(t *testing.T, text string) string {
	res, err := o.conn.PgConn().Exec(context.Background(), "SELECT "+text).ReadAll()
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return "ERROR " + pe.Code
	case err != nil:
		t.Fatalf("%s: %v", text, err)
	case res[0].Rows[0][0] == nil:
		return "NULL"
	}
	return string(res[0].Rows[0][0])
}

// ofCatalog says that the text of a type is names that only a catalog knows, whose package
// compares them with PostgreSQL; or that it is not read here at all (0A000).
func ofCatalog(k types.Kind) bool {
	switch k {
	case types.Regproc, types.Regprocedure, types.Regoper, types.Regoperator, types.Regnamespace, types.Regrole, types.Regcollation, types.ACLItem:
		return true
	}
	return false
}

// TestInputAgainstPostgres reads texts as every type, and casts values of every type to
// every other.
func TestInputAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	o := newOracle(t)
	o.others = otherInputs
	inputs := []string{"", " ", "-", "0x10", "0b1", "1_000", "1e400", "-1e400", "1e-400", "nan", "-nan", "inf", "+infinity", "-inf", " 1 ", "1x", "--1", "+1", "0x1p3", "1e", ".", "1.",
		"99999999999999999999", "-32769", "32768", "1e131072", "1e-20000", "{", "{}", "{1,}", "{,}", "{1,2", "{{1},{2,3}}", "[0:1]={1,2}", "{null}", "\"", "null", "tru", "yes", "on", "o", "t ",
		"2024-13-45", "2024-02-30", "0000-01-01", "99999999-01-01", "294277-01-01", "5874898-01-01", "4714-11-23 BC", "4715-01-01 BC", "2024-01-01 25:00", "24:00:01", "23:60", "23:59:60", "24:00", "12:00 PM",
		"13:00 PM", "epoch", "allballs", "today", "2024-01-01 00:00+99", "2024-01-01 00:00+15:59:59", "2024-01-01 00:00+16", "2024-01-01 foo", "2024-1", "2024", "20240101", "J2451545", "Jan 1 2024", "1/2/3", "31/12/2024",
		"2024-01-01T00:00:00Z", "2024-01-01 00:00 Europe/Nowhere", "1 day", "1 foo", "1 day ago", "P1Y", "P1", "PT", "1:2:3:4", "999999999999 years", "2147483648 days", "9223372036854775807 us", "-", "@ 1 day", "1.5 mon",
		"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "\\x0", "\\xzz", "\\400", "\\1", "{\"a\":}", "[1", "{\"a\":1e999999}", "\"\\ud800\"", "\"\\u0000\"", "1 2", "integer", "nosuch", "int[]", "4294967296", "-1"}
	for _, k := range types.Kinds() {
		ty := types.Of(k)
		switch k {
		case types.Regclass, types.Record, types.Void, types.Unknown:
			continue
		}
		if ofCatalog(k) {
			continue
		}
		for _, in := range inputs {
			for _, to := range []types.T{ty, types.ArrayOf(ty)} {
				if to.Kind == types.Array && to.ArrayOID() == 0 {
					continue
				}
				o.add(&expr.Cast{X: &expr.Const{Value: types.NewText(in), T: tUnk}, To: to, Explicit: true})
			}
		}
		for _, v := range extremesOf(t, ty) {
			for _, to := range types.Kinds() {
				if to == types.Regclass || to == types.Regtype || to == types.Record || to == types.Void || k == types.Regtype || ofCatalog(to) {
					continue
				}
				for _, tt := range []types.T{types.Of(to), types.ArrayOf(types.Of(to)), types.Of(to).WithPrecision(3, 1)} {
					if tt.Typmod() >= 0 && to != types.Numeric || tt.Kind == types.Array && tt.ArrayOID() == 0 {
						continue
					}
					if e, err := expr.ResolveCast(v, tt, expr.Explicit, 0); err == nil {
						o.add(e)
					}
				}
			}
		}
	}
	o.compare(t)
}
