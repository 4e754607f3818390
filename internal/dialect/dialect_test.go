package dialect

import (
	"strings"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestPositions points at nodes of statements with text of more than one byte
// per character; the oracle module compares thousands with PostgreSQL's.
func TestPositions(t *testing.T) {
	// The caret line marks, in order, what find must point at.
	for _, c := range []struct {
		sql, carets string
		find        func(st *tree.Statement) []int
	}{
		{
			"SELECT 'ы', ж + f(x)::int FROM t",
			"              ^     ^           ",
			func(st *tree.Statement) []int {
				e := selectOf(st).Items[1].Expr.(*tree.Op)
				return []int{e.Position(), e.Right.Position()}
			},
		},
		{
			"SELECT *, ю.* FROM я.т AS ю JOIN u ON ю.a = $1",
			"       ^  ^        ^             ^    ^   ^ ^ ",
			func(st *tree.Statement) []int {
				v := selectOf(st)
				j := v.From[0].(*tree.Join)
				on := j.On.(*tree.Op)
				return []int{
					v.Items[0].Position(), v.Items[1].Position(), j.Left.Position(),
					j.Right.Position(), on.Left.Position(), on.Position(), on.Right.Position(),
				}
			},
		},
		{
			"INSERT INTO т (ж, cf.b) VALUES (1, g(2)) RETURNING *",
			"            ^  ^  ^                ^               ^",
			func(st *tree.Statement) []int {
				v := st.DML.(*tree.Insert)
				return []int{v.Table.Position(), v.Columns[0].Position(), v.Columns[1].Position(), v.Rows[0][1].Position(), v.Returning[0].Position()}
			},
		},
		{
			"UPDATE т SET ж = 1, b = 2 WHERE a IN (1) AND c BETWEEN 1 AND 2",
			"       ^     ^      ^             ^            ^              ",
			func(st *tree.Statement) []int {
				v := st.DML.(*tree.Update)
				and := v.Where.(*tree.And)
				return []int{
					v.Table.Position(), v.Set[0].Targets[0].Position(), v.Set[1].Targets[0].Position(),
					and.Args[0].Position(), and.Args[1].Position(),
				}
			},
		},
		{
			"SELECT 'ы'; SELECT 1 LIMIT $1",
			"                           ^ ",
			func(st *tree.Statement) []int { return []int{selectOf(st).Outer().Limit.Position()} },
		},
		{
			"SELECT 1::ы, CAST (2 AS date), date '2020-01-01' FROM f(1) WHERE ((a)) = (b || c) AND d AND (e)",
			"        ^ ^  ^          ^      ^                      ^            ^   ^    ^         ^ ^    ^ ",
			func(st *tree.Statement) []int {
				v := selectOf(st)
				cast := func(i int) *tree.Cast { return v.Items[i].Expr.(*tree.Cast) }
				and := v.Where.(*tree.And)
				eq := and.Args[0].(*tree.Op)
				return []int{
					cast(0).Position(), cast(0).Type.Pos, cast(1).Position(), cast(1).Type.Pos, cast(2).Position(), v.From[0].Position(),
					eq.Left.Position(), eq.Position(), eq.Right.Position(), and.Args[1].Position(), and.Position(), and.Args[2].Position(),
				}
			},
		},
	} {
		stmts, err := Parse(c.sql)
		if err != nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		var want []int
		for i := range c.carets {
			if c.carets[i] == '^' {
				want = append(want, i+1)
			}
		}
		got := c.find(stmts[len(stmts)-1])
		if len(got) != len(want) {
			t.Fatalf("%s: %v, want %v", c.sql, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %v, want %v", c.sql, got, want)
				break
			}
		}
	}
}

func selectOf(st *tree.Statement) *tree.Select { return st.DML.(*tree.Select) }

func TestStatementText(t *testing.T) {
	stmts, err := Parse("  SELECT 1 ;\n\n-- note\nEXPLAIN SELECT $3 -- tail\n;")
	if err != nil {
		t.Fatal(err)
	}
	if len(stmts) != 2 || stmts[0].Text != "SELECT 1" || stmts[1].Text != "EXPLAIN SELECT $3" {
		t.Fatalf("%d statements: %q", len(stmts), stmts[0].Text)
	}
	if stmts[1].NumParams != 3 || stmts[1].Utility.(*tree.Explain).Stmt.Text != "SELECT $3" {
		t.Fatalf("%+v", stmts[1])
	}
}

func TestParamNumber(t *testing.T) {
	stmts, err := Parse("SELECT position($1 IN $2), $2 AT TIME ZONE $3 LIMIT $1")
	if err != nil {
		t.Fatal(err)
	}
	st := stmts[0]
	v := selectOf(st)
	pos := v.Items[0].Expr.(*tree.Func)
	zone := v.Items[1].Expr.(*tree.Func)
	for i, p := range []tree.Expr{pos.Args[0], pos.Args[1], zone.Args[0], zone.Args[1], v.Outer().Limit} {
		if got, want := p.(*tree.Param).Number, []int{2, 1, 3, 2, 1}[i]; got != want {
			t.Errorf("parameter %d is $%d, want $%d", i, got, want)
		}
	}
}

// TestLimits drives every cap from both sides.
func TestLimits(t *testing.T) {
	nest := func(open, inner, end string, n int) string {
		return "SELECT " + strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	chain := func(op string, n int) string { return "SELECT 1" + strings.Repeat(op+"1", n) }
	for _, c := range []struct {
		name, sql string
		code      sqlerr.Code // the zero code is success
	}{
		{"parentheses", nest("(", "1", ")", 500), sqlerr.Code{}},
		{"parentheses", nest("(", "1", ")", 10000), sqlerr.StatementTooComplex},
		{"minus", nest("- ", "1", "", 10000), sqlerr.StatementTooComplex},
		{"not", nest("NOT ", "a", "", 10000), sqlerr.StatementTooComplex},
		{"case", nest("CASE WHEN ", "a", " THEN 1 END", 10000), sqlerr.StatementTooComplex},
		{"subquery", nest("(SELECT ", "1", ")", 10000), sqlerr.StatementTooComplex},
		{"calls", nest("f(", "1", ")", 10000), sqlerr.StatementTooComplex},
		{"arrays", nest("ARRAY[", "1", "]", 10000), sqlerr.StatementTooComplex},
		{"array lists", "SELECT ARRAY" + strings.Repeat("[", 10000), sqlerr.StatementTooComplex},
		{"from", "SELECT 1 FROM " + strings.Repeat("(SELECT 1 FROM ", 10000) + "t", sqlerr.StatementTooComplex},
		{"joins in parentheses", "SELECT 1 FROM " + strings.Repeat("(", 10000) + "t", sqlerr.StatementTooComplex},
		{"group", "SELECT 1 GROUP BY " + strings.Repeat("ROLLUP (", 10000) + "a", sqlerr.StatementTooComplex},
		{"explain", strings.Repeat("EXPLAIN ", 10000) + "SELECT 1", sqlerr.SyntaxError},
		{"schemas", strings.Repeat("CREATE SCHEMA a ", 10000), sqlerr.StatementTooComplex},
		{"plus", chain("+", 9000), sqlerr.Code{}},
		{"plus", chain("+", 20000), sqlerr.StatementTooComplex},
		{"or", chain(" OR ", 300000), sqlerr.Code{}},
		{"and", chain(" AND ", 300000), sqlerr.Code{}},
		{"concatenation", chain("||", 9000), sqlerr.Code{}},
		{"concatenation", chain("||", 20000), sqlerr.StatementTooComplex},
		{"casts", "SELECT 1" + strings.Repeat("::int", 20000), sqlerr.StatementTooComplex},
		{"subscripts", "SELECT a" + strings.Repeat("[1]", 20000), sqlerr.StatementTooComplex},
		{"is null", "SELECT a" + strings.Repeat(" IS NULL", 20000), sqlerr.StatementTooComplex},
		{"unions", "SELECT 1" + strings.Repeat(" UNION SELECT 1", 20000), sqlerr.StatementTooComplex},
		{"joins", "SELECT 1 FROM t" + strings.Repeat(" CROSS JOIN t", 20000), sqlerr.StatementTooComplex},
		{"in list", "SELECT 1 IN (1" + strings.Repeat(",1", 100000) + ")", sqlerr.Code{}},
		{"size", "SELECT '" + strings.Repeat("x", MaxStatementSize) + "'", sqlerr.ProgramLimitExceeded},
		{"encoding", "SELECT '\xff'", sqlerr.CharacterNotInRepertoire},
		{"nul", "SELECT '\x00'", sqlerr.CharacterNotInRepertoire},
	} {
		_, err := Parse(c.sql)
		if err == nil && c.code == (sqlerr.Code{}) {
			continue
		}
		if err == nil || sqlerr.CodeOf(err) != c.code {
			t.Errorf("%s: %v %v, want %v", c.name, err, sqlerr.CodeOf(err), c.code)
		}
	}
}

// TestConcurrent reads one statement and parses others, for the race detector.
func TestConcurrent(t *testing.T) {
	shared, err := Parse("SELECT f(a => 1, VARIADIC b => 2), ROW(1, 2) FROM t JOIN u USING (x) ORDER BY 1 NULLS FIRST LIMIT 1")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 0; n < 50; n++ {
				c := selectOf(shared[0]).Items[0].Expr.(*tree.Func)
				if len(c.Args) != 2 || c.ArgNames[0] != "a" || c.ArgNames[1] != "b" || !c.Variadic {
					t.Errorf("%+v", c)
				}
				if _, err := Parse("INSERT INTO t VALUES ($1, $2) ON CONFLICT DO NOTHING"); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestColumnNames holds Postgres's rules for naming columns.
func TestColumnNames(t *testing.T) {
	for expr, want := range map[string]string{
		"a": "a", "t.a": "a", "1": "?column?", "'x'": "?column?", "a + 1": "?column?", "-1": "?column?",
		"f(1)": "f", "s.F(1)": "f", "a::int": "a", "1::int": "int4", "1::text::varchar(3)": "varchar", "CAST(1 AS decimal(3))": "numeric",
		"true": "?column?", "NULL": "?column?", "CASE WHEN a THEN 1 END": "case", "CASE WHEN a THEN 1 ELSE b END": "b",
		"CASE WHEN a THEN 1 ELSE 2::int END": "case", "COALESCE(a, b)": "coalesce", "NULLIF(a, b)": "nullif", "a[1]": "a", "(a).b": "b",
		"ARRAY[1]": "array", "ROW(1)": "row", "(1, 2)": "row", "EXISTS (SELECT 1)": "exists", "(SELECT a FROM t)": "a", "(SELECT 1 AS z)": "z",
		"(SELECT 1)": "?column?", "a COLLATE \"C\"": "a", "current_date": "current_date", "EXTRACT(year FROM a)": "extract", "TRIM(a)": "btrim",
		"a AT TIME ZONE 'x'": "timezone", "INTERVAL '1'": "interval", "DATE '2020-01-01'": "date", "a IS NULL": "?column?", "NOT a": "?column?",
		"(a)": "a", "((SELECT b FROM t))::int": "b", "count(*) OVER ()": "count", "a = ANY (b)": "?column?", "a LIKE b": "?column?", "(f(1)).x": "x",
		"ARRAY(SELECT 1)": "array", "SUBSTRING(a FROM 1)": "substring", "(VALUES (1))": "column1", "(SELECT 1)::int": "?column?", "(SELECT 1 AS q UNION SELECT 2)": "q", "GREATEST(1)": "greatest",
	} {
		stmts, err := Parse("SELECT " + expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if got := selectOf(stmts[0]).Items[0].Name; got != want {
			t.Errorf("%s is named %q, want %q", expr, got, want)
		}
	}
}

func TestParseExpr(t *testing.T) {
	e, err := ParseExpr(" a + 1 ")
	if err != nil {
		t.Fatal(err)
	}
	if e.Text != "a + 1" || e.Pos != 2 || e.Node.Position() != 4 {
		t.Errorf("%q at %d, operator at %d", e.Text, e.Pos, e.Node.Position())
	}
	for _, bad := range []string{"", "a b", "a; b", "a,"} {
		if _, err := ParseExpr(bad); sqlerr.CodeOf(err) != sqlerr.SyntaxError {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// corpus splits the files of testdata/corpus into statements.
func corpusStatements(t testing.TB) []string {
	var out []string
	for _, text := range corpusFiles(t) {
		var toks lex.Tokens
		if err := toks.Read(text); err != nil {
			t.Fatal(err)
		}
		start := int32(0)
		for _, tok := range toks.Toks {
			if tok.Kind == lex.Semicolon {
				out = append(out, text[start:tok.Start])
				start = tok.End
			}
		}
	}
	return out
}
