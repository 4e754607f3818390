package oracle

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/seeds"
)

var (
	seed   = flag.Uint64("seed", 0, "seed of the random statements, 0 for that of internal/seeds")
	rounds = flag.Int("rounds", 600, "how many random statements to check")
)

// generator makes random statements. It leaves out most parentheses, so that
// precedence decides; many come out wrong, and then both parsers must say so.
type generator struct {
	*rand.Rand
	depth int
}

func (g *generator) pick(s ...string) string { return s[g.IntN(len(s))] }

func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

func (g *generator) maybe(n int, s string) string {
	if g.chance(n) {
		return s
	}
	return ""
}

func (g *generator) list(max int, f func() string) string {
	n := 1 + g.IntN(max)
	items := make([]string, n)
	for i := range items {
		items[i] = f()
	}
	return strings.Join(items, ", ")
}

func (g *generator) name() string {
	return g.pick("a", "b", "c", "t", "u", "key", "rank", "groups", `"X y"`, "value", "text", "at", "rows", "name", "read", "position", "year", "over", "filter", "Upper", "é")
}

func (g *generator) typ() string {
	return g.pick("int", "text", "numeric(10,2)", "varchar(5)", "char", "timestamp with time zone", "time(3)",
		"interval", "interval day to second(3)", "double precision", "bit varying(4)", "pg_catalog.int4", `"char"`, "int[]", "float(10)", "date", "bigint", "boolean", "character varying", "regclass", "int[3][]", "text array")
}

func (g *generator) constant() string {
	return g.pick("1", "0", "42", "1.5", ".5", "1e10", "9223372036854775808", "123456789012345678901234567890", "'x'", "''", "'it''s'",
		`E'a\nb\\'`, "$$d'q$$", "$t$a$$b$t$", "B'01'", "X'1F'", "true", "false", "null", "$1", "$2", `U&'\0041'`, "date '2020-01-01'",
		"interval '1' day", "interval(3) '1'", "int '5'", "float8 '1.5'", "timestamp(3) with time zone 'now'", "char(3) 'x'", "bit '1'", "N'n'", "'\\'", "pg_catalog.text 'a'", "numeric(3,1) '2.5'")
}

func (g *generator) column() string {
	switch g.IntN(6) {
	case 0:
		return g.name() + "." + g.name()
	case 1:
		return "s." + g.name() + "." + g.name()
	case 2:
		return g.name() + "[" + g.expr() + "]"
	case 3:
		return g.name() + "[" + g.maybe(2, g.expr()) + ":" + g.maybe(2, g.expr()) + "]"
	}
	return g.name()
}

func (g *generator) expr() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 5 {
		if g.chance(2) {
			return g.constant()
		}
		return g.pick("a", "b", "c", "x.y")
	}
	switch g.IntN(34) {
	case 0, 1, 2, 3:
		return g.constant()
	case 4, 5, 6:
		return g.column()
	case 7, 8, 9, 10, 11, 12:
		return g.expr() + " " + g.pick("+", "-", "*", "/", "%", "^", "=", "<>", "!=", "<", ">", "<=", ">=", "||", "~", "!~*", "&", "|", "#", "<<", "->", "->>", "@>", "&&",
			"and", "or", "operator(pg_catalog.+)", "is distinct from", "is not distinct from") + " " + g.expr()
	case 13:
		return g.pick("-", "+", "not ", "@", "~", "|/", "operator(pg_catalog.-) ") + " " + g.expr()
	case 14:
		return "(" + g.expr() + ")"
	case 15:
		return g.expr() + "::" + g.typ()
	case 16:
		return g.expr() + " " + g.pick("is null", "is not null", "isnull", "notnull", "is true", "is not true", "is false", "is not false", "is unknown", "is not unknown", "is not document", "is normalized", "is not nfc normalized")
	case 17:
		return g.expr() + " " + g.maybe(3, "not ") + g.pick("like", "ilike", "similar to") + " " + g.expr() + g.maybe(3, " escape "+g.expr())
	case 18:
		return g.expr() + " " + g.maybe(3, "not ") + "between " + g.maybe(5, g.pick("symmetric ", "asymmetric ")) + g.expr() + " and " + g.expr()
	case 19:
		return g.expr() + " " + g.maybe(3, "not ") + "in (" + g.list(3, g.expr) + ")"
	case 20:
		return g.expr() + " " + g.maybe(3, "not ") + "in (" + g.query() + ")"
	case 21:
		return g.expr() + " " + g.pick("=", "<", "~", "||", "like", "not like", "ilike", "operator(pg_catalog.=)") + " " + g.pick("any", "all", "some") + " (" + g.pick(g.expr(), g.query()) + ")"
	case 22:
		return "case " + g.maybe(2, g.expr()) + " when " + g.expr() + " then " + g.expr() + g.maybe(2, " else "+g.expr()) + " end"
	case 23:
		return g.pick("", "", "not ") + "exists (" + g.query() + ")"
	case 24:
		return "(" + g.query() + ")" + g.maybe(6, "."+g.name())
	case 25:
		return g.pick("array["+g.list(3, g.expr)+"]", "array[]", "array[["+g.expr()+"],["+g.expr()+"]]", "array("+g.query()+")")
	case 26:
		return g.pick("row("+g.list(3, g.expr)+")", "row()", "("+g.expr()+", "+g.expr()+")")
	case 27, 28:
		return g.call()
	case 29:
		return g.expr() + " at time zone " + g.expr()
	case 30:
		return g.expr() + " collate " + g.pick(`"C"`, `pg_catalog."C"`)
	case 31:
		return g.syntaxCall()
	case 32:
		return "(" + g.expr() + ")." + g.name()
	default:
		return "(" + g.expr() + ", " + g.expr() + ") overlaps (" + g.expr() + ", " + g.expr() + ")"
	}
}

func (g *generator) syntaxCall() string {
	e := g.expr
	return g.pick(
		"cast("+e()+" as "+g.typ()+")",
		"extract("+g.pick("year", "epoch", "'dow'", "second")+" from "+e()+")",
		"substring("+e()+" from "+e()+")",
		"substring("+e()+" from "+e()+" for "+e()+")",
		"substring("+e()+" for "+e()+")",
		"substring("+e()+" for "+e()+" from "+e()+")",
		"substring(("+e()+") similar "+e()+" escape "+e()+")",
		"substring("+e()+", "+e()+")",
		"position("+e()+" in "+e()+")",
		"overlay("+e()+" placing "+e()+" from "+e()+g.maybe(2, " for "+e())+")",
		"trim("+g.pick("", "both", "leading", "trailing")+" "+e()+" from "+e()+")",
		"trim("+g.pick("", "both ")+e()+")",
		"trim(leading from "+e()+")",
		"trim("+e()+", "+e()+")",
		"normalize("+e()+g.maybe(2, ", nfkc")+")",
		"collation for ("+e()+")",
		"coalesce("+g.list(3, e)+")", "greatest("+g.list(3, e)+")", "least("+g.list(2, e)+")",
		"nullif("+e()+", "+e()+")", "grouping("+g.list(2, e)+")",
		"current_date", "current_time(3)", "localtimestamp", "current_user", "current_schema", "current_catalog", "session_user", "user",
		"t.*", "count(t.*)", "count(*)", "f()", "s.f("+e()+")", "f("+g.name()+" => "+e()+")", "f("+e()+", variadic "+e()+")", "f("+g.name()+" := "+e()+")",
	)
}

func (g *generator) call() string {
	s := g.pick("f", "count", "sum", "s.f", "left", "upper", "mod", "if") + "(" + g.maybe(6, g.pick("distinct ", "all ")) + g.list(2, g.expr) + g.maybe(5, " order by "+g.order()) + ")"
	s += g.maybe(8, " within group (order by "+g.order()+")")
	s += g.maybe(6, " filter (where "+g.expr()+")")
	s += g.maybe(5, " over "+g.pick("w", g.window()))
	return s
}

func (g *generator) window() string {
	bound := func() string {
		return g.pick("unbounded preceding", "current row", "unbounded following", "1 preceding", g.expr()+" following", "a + 1 preceding")
	}
	frame := ""
	if g.chance(2) {
		frame = g.pick(" rows ", " range ", " groups ") + g.pick(bound(), "between "+bound()+" and "+bound()) + g.maybe(3, g.pick(" exclude current row", " exclude ties", " exclude group", " exclude no others"))
	}
	return "(" + g.maybe(5, "w ") + g.maybe(2, "partition by "+g.list(2, g.expr)) + g.maybe(2, " order by "+g.order()) + frame + ")"
}

func (g *generator) order() string {
	return g.list(2, func() string {
		return g.expr() + g.pick("", "", " asc", " desc", " using <", " using operator(pg_catalog.>)") + g.pick("", "", " nulls first", " nulls last")
	})
}

func (g *generator) item() string {
	switch g.IntN(8) {
	case 0:
		return g.pick("*", "t.*", "s.t.*", "("+g.expr()+").*")
	case 1:
		return g.expr() + " as " + g.pick("x", "select", `"Q"`, "order")
	case 2:
		return g.expr() + " " + g.pick("x", "value", "name", "text")
	}
	return g.expr()
}

func (g *generator) from() string {
	g.depth++
	defer func() { g.depth-- }()
	alias := func() string {
		return g.pick("", " x", " as y", " as z(a, b)")
	}
	if g.depth < 5 {
		switch g.IntN(10) {
		case 0, 1:
			kind := g.pick("join", "inner join", "left join", "right outer join", "full join")
			qual := g.pick(" on "+g.expr(), " using (a, b)", " using (a) as j")
			right := g.from()
			return g.from() + " " + kind + " " + right + qual
		case 2:
			return g.from() + " " + g.pick("cross join", "natural join", "natural left join", "natural full join") + " " + g.from()
		case 3:
			return "(" + g.from() + " join " + g.from() + " on " + g.expr() + ")" + g.pick("", "", " as jj", " as jk(a, b)")
		case 4, 5:
			return g.maybe(3, "lateral ") + "(" + g.query() + ") as d" + g.maybe(3, "(a, b)")
		case 6:
			return g.maybe(3, "lateral ") + g.pick("f("+g.list(2, g.expr)+")", "s.f()", "current_date", "coalesce(a, b)", "rows from (f(1), g(2) as (a int, b text))", "cast(a as text)") +
				g.maybe(4, " with ordinality") + g.pick("", " x", " as x(a, b)", " as x(a int, b text)", " as (a int)", "")
		}
	}
	return g.pick("t", "s.t", "u", `"T"`, "only t", "t *", "only (t)", "key") + alias() + g.maybe(15, " tablesample system (10) repeatable (1)")
}

func (g *generator) group() string {
	return g.pick("", "", "distinct ") + g.list(3, func() string {
		return g.pick(g.expr(), g.expr(), "()", "rollup (a, (b, c))", "cube (a, b)", "grouping sets ((a), (), rollup (b))", "(a, b)", "1")
	})
}

func (g *generator) query() string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 4 {
		return g.pick("select 1", "select a from t", "values (1)", "table t")
	}
	body := ""
	switch g.IntN(10) {
	case 0:
		body = "values " + g.list(2, func() string { return "(" + g.list(2, g.expr) + ")" })
	case 1, 2:
		operand := func() string { return g.pick(g.query(), "("+g.query()+")", "select 1", "table t") }
		body = operand() + g.pick(" union ", " union all ", " except ", " intersect ", " intersect all ", " except all ") + operand()
	default:
		body = "select " + g.maybe(6, g.pick("distinct ", "all ", "distinct on (a, b) ")) + g.list(3, g.item)
		if !g.chance(5) {
			body += " from " + g.list(2, g.from)
		}
		body += g.maybe(3, " where "+g.expr()) + g.maybe(5, " group by "+g.group()) + g.maybe(6, " having "+g.expr())
		body += g.maybe(8, " window w as "+g.window()+g.maybe(3, ", v as (w)"))
	}
	body = g.maybe(8, "with "+g.maybe(3, "recursive ")+"w"+g.maybe(3, "(a, b)")+" as "+g.maybe(4, g.pick("materialized ", "not materialized "))+"("+g.query()+") ") + body
	body += g.maybe(4, " order by "+g.order())
	body += g.maybe(5, g.pick(" limit 10", " limit all", " limit $1 offset 5", " offset 3 rows", " limit "+g.expr(), " offset 1 limit 2", " fetch first 3 rows only", " fetch next row with ties", " limit null", " fetch first (1+1) rows only"))
	body += g.maybe(8, g.pick(" for update", " for share of t nowait", " for no key update of t, u skip locked", " for key share for update", " for read only"))
	return body
}

func (g *generator) returning() string {
	return g.maybe(3, " returning "+g.list(2, g.item))
}

func (g *generator) set() string {
	return g.list(2, func() string {
		return g.pick("a = "+g.expr(), "b = default", "(a, b) = ("+g.expr()+", default)", "(a, b) = ("+g.query()+")", "a[1] = "+g.expr(), "(a) = row("+g.expr()+")", "a[1:2].c = 3", "(a, b) = row(default, 1)")
	})
}

func (g *generator) statement() string {
	with := g.maybe(6, "with w as ("+g.query()+") ")
	switch g.IntN(8) {
	case 0:
		return with + "insert into " + g.pick("t", "s.t", "t as x") + g.maybe(2, " (a, b)") + g.maybe(8, " (a[1], c.d)") + g.maybe(8, " overriding system value") + " " +
			g.pick("default values", "values (1, default), ("+g.expr()+", 2)", g.query(), "("+g.query()+")", "values ("+g.expr()+") order by 1") +
			g.maybe(3, " on conflict "+g.pick("", "(a, lower(b)) ", "(a collate \"C\" text_ops, (b + 1)) where c ", "on constraint k ")+g.pick("do nothing", "do update set "+g.set()+g.maybe(2, " where "+g.expr()))) + g.returning()
	case 1:
		return with + "update " + g.pick("t", "only t", "t x", "s.t as y") + " set " + g.set() + g.maybe(3, " from "+g.list(2, g.from)) + g.pick("", " where "+g.expr(), " where current of c") + g.returning()
	case 2:
		return with + "delete from " + g.pick("t", "only t", "t x", "s.t as y") + g.maybe(3, " using "+g.list(2, g.from)) + g.pick("", " where "+g.expr(), " where current of c") + g.returning()
	}
	return g.query()
}

// first gives the seed: the flag's, or that of internal/seeds.
func first(t *testing.T) uint64 {
	if *seed != 0 {
		t.Logf("seed %d", *seed)
		return *seed
	}
	return seeds.First(t)
}

// TestRandom checks random statements: what PostgreSQL takes must mean the
// same, what it rejects must be rejected.
func TestRandom(t *testing.T) {
	s := first(t)
	g := &generator{Rand: rand.New(rand.NewPCG(s, 0))}
	counts := map[string]int{}
	failures := 0
	for i := 0; i < *rounds; i++ {
		sql := g.statement()
		verdict, detail := check(sql)
		counts[verdict]++
		switch verdict {
		case "equal", "rejected", "utility", "unsupported":
		default:
			failures++
			t.Errorf("%s: %s\n  %s", verdict, detail, sql)
			if failures >= 10 {
				t.Fatal("enough")
			}
		}
	}
	t.Log(fmt.Sprint(counts))
}
