package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/metrics"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/settings"
)

//go:generate go test . -run TestDocsLists -rewrite

// page is a page of docs: its text, and its fenced blocks.
type page struct {
	path, text string
	blocks     []block
}

type block struct {
	lang, text string
	line       int
}

func docPages(t testing.TB) []page {
	t.Helper()
	paths, err := filepath.Glob("../docs/*.md")
	if err != nil || len(paths) < 10 {
		t.Fatalf("there are %d pages: %v", len(paths), err)
	}
	var pages []page
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := page{path: path, text: string(b)}
		var open *block
		for i, line := range strings.Split(p.text, "\n") {
			lang, fence := strings.CutPrefix(line, "```")
			switch {
			case fence && open == nil:
				open = &block{lang: lang, line: i + 1}
			case fence:
				p.blocks = append(p.blocks, *open)
				open = nil
			case open != nil:
				open.text += line + "\n"
			}
		}
		if open != nil {
			t.Errorf("%s:%d: the block does not end", path, open.line)
		}
		pages = append(pages, p)
	}
	return pages
}

// example is a statement of a block, and what it says of its outcome: "-- ERROR: 23505" the
// SQLSTATE, "-- NOTICE: text" a part of a notice, "-- => a | b" a row of the result.
type example struct {
	sql, state string
	notices    []string
	rows       []string
	line       int
}

func examples(b block) (out []example) {
	var sql strings.Builder
	begun := 0
	for i, line := range strings.Split(b.text, "\n") {
		comment := strings.TrimSpace(line)
		switch {
		case sql.Len() == 0 && len(out) > 0 && strings.HasPrefix(comment, "-- ERROR: "):
			out[len(out)-1].state, _, _ = strings.Cut(strings.TrimPrefix(comment, "-- ERROR: "), " ")
			continue
		case sql.Len() == 0 && len(out) > 0 && strings.HasPrefix(comment, "-- NOTICE: "):
			out[len(out)-1].notices = append(out[len(out)-1].notices, strings.TrimPrefix(comment, "-- NOTICE: "))
			continue
		case sql.Len() == 0 && len(out) > 0 && strings.HasPrefix(comment, "-- =>"):
			out[len(out)-1].rows = append(out[len(out)-1].rows, strings.TrimSpace(strings.TrimPrefix(comment, "-- =>")))
			continue
		case comment == "" || sql.Len() == 0 && strings.HasPrefix(comment, "--"):
			continue
		}
		if sql.Len() == 0 {
			begun = b.line + 1 + i
		}
		sql.WriteString(line + "\n")
		code, _, _ := strings.Cut(line, " -- ")
		if strings.HasSuffix(strings.TrimSpace(code), ";") {
			out = append(out, example{sql: sql.String(), line: begun})
			sql.Reset()
		}
	}
	if sql.Len() > 0 {
		out = append(out, example{sql: sql.String(), line: begun})
	}
	return out
}

// TestDocsSQL runs the SQL of each page from its beginning to its end, on a store with
// transactions and on one without.
func TestDocsSQL(t *testing.T) {
	ran, rows := 0, 0
	defer func() {
		if ran < 100 || rows < 30 {
			t.Errorf("%d statements were run, %d rows compared", ran, rows)
		}
	}()
	for _, store := range []string{"mem", "bigtable"} {
		for _, p := range docPages(t) {
			t.Run(store+"/"+filepath.Base(p.path), func(t *testing.T) {
				host, port := harness.Serve(t, openObserved(t, store, nil, nil))
				cfg, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=saltsql dbname=saltsql sslmode=disable", host, port))
				if err != nil {
					t.Fatal(err)
				}
				var notices []string
				cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Message+" "+n.Hint) }
				c, err := pgx.ConnectConfig(context.Background(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close(context.Background())
				for _, b := range p.blocks {
					if b.lang != "sql" {
						continue
					}
					for _, e := range examples(b) {
						notices = nil
						ran++
						rows += len(e.rows)
						runExample(t, c, p, e, &notices)
					}
				}
			})
		}
	}
}

func runExample(t *testing.T, c *pgx.Conn, p page, e example, notices *[]string) {
	t.Helper()
	results, err := c.PgConn().Exec(context.Background(), e.sql).ReadAll()
	var pgErr *pgconn.PgError
	state := ""
	if errors.As(err, &pgErr) {
		state = pgErr.Code
	}
	if state != e.state {
		t.Errorf("%s:%d: ends with %q (%v), not with %q", p.path, e.line, state, err, e.state)
		return
	}
	for _, want := range e.notices {
		if !strings.Contains(strings.Join(*notices, "\n"), want) {
			t.Errorf("%s:%d: the notices are %q, without %q", p.path, e.line, *notices, want)
		}
	}
	if len(e.rows) == 0 {
		return
	}
	var rows []string
	for _, row := range results[len(results)-1].Rows {
		var vals []string
		for _, v := range row {
			if v == nil {
				v = []byte("NULL")
			}
			vals = append(vals, strings.TrimSpace(string(v)))
		}
		rows = append(rows, strings.Join(vals, " | "))
	}
	if strings.Join(rows, "\n") != strings.Join(e.rows, "\n") {
		t.Errorf("%s:%d: gives\n%s\nnot\n%s", p.path, e.line, strings.Join(rows, "\n"), strings.Join(e.rows, "\n"))
	}
}

// TestDocsCommands holds that each command and flag of the pages is one that there is, that
// configuration files are taken, and that Go programs compile.
func TestDocsCommands(t *testing.T) {
	seeds.Sometimes(t)
	help := map[string]string{}
	flagName := regexp.MustCompile(`(?:^|\s)--([a-z][a-z-]*)`)
	for _, p := range docPages(t) {
		for _, b := range p.blocks {
			at := fmt.Sprintf("%s:%d", p.path, b.line)
			switch b.lang {
			case "sql", "", "text":
			case "sh":
				for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", " ")) {
					words := strings.Fields(line)
					for i, w := range words {
						if w != "saltsql" || i+1 == len(words) || i > 0 && strings.HasPrefix(words[i-1], "-") || !unicode.IsLower(rune(words[i+1][0])) {
							continue
						}
						cmd := words[i+1]
						if _, ok := help[cmd]; !ok {
							out, status := harness.Command(t, cmd, "--help")
							if status != 0 {
								t.Errorf("%s: saltsql %s is no command: %s", at, cmd, out)
							}
							help[cmd] = out
						}
						for _, m := range flagName.FindAllStringSubmatch(strings.Join(words[i+2:], " "), -1) {
							if m[1] != "help" && !strings.Contains(help[cmd], "--"+m[1]) {
								t.Errorf("%s: saltsql %s has no flag --%s", at, cmd, m[1])
							}
						}
						break
					}
				}
			case "conf":
				conf := filepath.Join(t.TempDir(), "conf")
				if err := os.WriteFile(conf, []byte(b.text), 0o600); err != nil {
					t.Fatal(err)
				}
				if out, status := harness.Command(t, "config", "--config", conf); status != 0 {
					t.Errorf("%s: %s", at, out)
				}
			case "go":
				path := filepath.Join(t.TempDir(), "main.go")
				if err := os.WriteFile(path, []byte(b.text), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := childproc.Command("go", "vet", path)
				cmd.Dir = ".."
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %s", at, out)
				}
			default:
				t.Errorf("%s: blocks of %q are not tested", at, b.lang)
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// anchors gives what may stand behind # in a link to a page.
func anchors(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		id := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, m[1])
		out[id] = true
	}
	return out
}

// TestDocsLinks follows each link within the pages, and holds that each page can be reached.
func TestDocsLinks(t *testing.T) {
	linked := map[string]bool{"../docs/README.md": true}
	pages := docPages(t)
	for _, p := range pages {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			target := p.path
			if to != "" {
				target = filepath.Join(filepath.Dir(p.path), to)
			}
			b, err := os.ReadFile(target)
			if info, serr := os.Stat(target); serr == nil && info.IsDir() {
				err = nil
			}
			if err != nil {
				t.Errorf("%s: %s leads nowhere", p.path, m[1])
				continue
			}
			if anchor != "" && !anchors(string(b))[anchor] {
				t.Errorf("%s: %s has no heading for #%s", p.path, to, anchor)
			}
			if target != p.path {
				linked[target] = true
			}
		}
	}
	for _, p := range pages {
		if !linked[p.path] {
			t.Errorf("no page links to %s", p.path)
		}
	}
}

// generated gives the lists that are made, not written, by their names.
func generated(t *testing.T) map[string]string {
	t.Helper()
	lists := map[string]string{}
	var b strings.Builder
	row := func(cells ...string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ") + " ")
		}
		b.WriteString("|\n")
	}
	done := func(name string) {
		lists[name] = b.String()
		b.Reset()
	}
	row("parameter", "default", "unit", "values", "what it does")
	row("---", "---", "---", "---", "---")
	for _, p := range settings.All() {
		values := strings.Join(p.Options, ", ")
		switch {
		case p.ReadOnly:
			values = "cannot be set"
		case p.Superuser:
			values = strings.TrimPrefix(values+"; superusers set it", "; ")
		}
		row("`"+p.Name+"`", p.Default, p.Unit, values, p.Doc)
	}
	done("parameters")

	flags := harness.MustCommand(t, "serve", "--help")
	_, flags, _ = strings.Cut(flags, "Flags:\n")
	b.WriteString("```text\n" + flags + "```\n")
	done("flags")

	row("option", "values", "ALTER TABLE … SET", "what it does")
	row("---", "---", "---", "---")
	for _, o := range catalog.TableOptions {
		alter := "no"
		if o.Reset != nil {
			alter = "yes"
		}
		row("`"+o.Name+"`", o.Range, alter, o.Doc)
	}
	done("options")

	for _, hint := range hints(t) {
		b.WriteString("- " + hint + "\n")
	}
	done("hints")

	row("metric", "labels", "what it is")
	row("---", "---", "---")
	for _, m := range metrics.All() {
		row("`"+m.Name+"`", strings.Join(m.Labels, ", "), m.Help)
	}
	done("metrics")

	row("", "what", "at most")
	row("---", "---", "---:")
	was := ""
	for _, l := range limits(t) {
		kind := l.kind
		if kind == was {
			kind = ""
		}
		was = l.kind
		row(kind, l.text, l.value)
	}
	done("limits")

	row("SQLSTATE", "PostgreSQL's name for it")
	row("---", "---")
	for _, c := range sqlStates(t) {
		row("`"+c[0]+"`", c[1])
	}
	done("sqlstates")

	for _, line := range functionLines(t) {
		b.WriteString(line)
	}
	done("functions")

	var families []string
	named := map[string][]string{}
	for name, hint := range expr.Refused() {
		if named[hint] == nil {
			families = append(families, hint)
		}
		named[hint] = append(named[hint], "`"+name+"`")
	}
	for _, hint := range families {
		b.WriteString("- " + hint + " (" + strings.Join(named[hint], " ") + ")\n")
	}
	done("refused_functions")

	for _, form := range statementForms(t) {
		b.WriteString("- " + form + "\n")
	}
	done("statements")
	refused := refusals(t)
	for _, part := range refusedParts {
		b.WriteString("\n### " + part + "\n\n")
		for _, text := range refused[part] {
			b.WriteString("- " + text + "\n")
		}
	}
	done("refused")
	return lists
}

// functionLines lists the functions and aggregates by name, with the types they take.
func functionLines(t *testing.T) (lines []string) {
	t.Helper()
	type named struct {
		OID  int64
		Name string
	}
	list, err := saltsql.All[named](context.Background(), openObserved(t, "mem", nil, nil), "SELECT oid::bigint, format_type(oid, NULL) AS name FROM pg_type")
	if err != nil {
		t.Fatal(err)
	}
	typeName := map[uint32]string{}
	for _, n := range list {
		typeName[uint32(n.OID)] = n.Name
	}
	args := map[string][]string{}
	for _, of := range []iter.Seq[builtin.Builtin]{builtin.Functions(), builtin.Aggregates()} {
		for f := range of {
			if strings.HasPrefix(f.Name, "pg_") || strings.HasPrefix(f.Name, "_pg_") {
				continue
			}
			var words []string
			for i, oid := range f.Args {
				word := typeName[oid]
				if f.Variadic && i == len(f.Args)-1 {
					word = "VARIADIC " + word
				}
				words = append(words, word)
			}
			args[f.Name] = append(args[f.Name], "("+strings.Join(words, ", ")+")")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		slices.Sort(args[name])
		lines = append(lines, fmt.Sprintf("- `%s` %s\n", name, strings.Join(slices.Compact(args[name]), " ")))
	}
	return lines
}

// hintAt is which argument of a call, by the function's name, is the hint.
var hintAt = map[string]int{"WithHint": 0, "Unsupported": 1, "unsupportedAt": 1}

// verb is what fmt fills in.
var verb = regexp.MustCompile(`%[-+# 0]*[0-9.]*[a-zA-Z]`)

// eachSource shows the files of the server's packages, with their paths in the repository.
func eachSource(t *testing.T, visit func(path string, fset *token.FileSet, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "conformance" || d.Name() == "oracle" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			visit(strings.TrimPrefix(filepath.ToSlash(path), "../"), fset, f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hints reads the constants that the packages of the server give as hints.
func hints(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	eachSource(t, func(_ string, _ *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := calledName(call)
			at, ok := hintAt[name]
			if name == "Unsupported" { // of a parser it has a place, too
				at = len(call.Args) - 1
			}
			if !ok || at >= len(call.Args) || ofStore(call) {
				return true
			}
			if text, ok := constantText(call.Args[at]); ok && strings.Contains(text, " ") {
				seen[strings.ReplaceAll(verb.ReplaceAllString(text, "…"), "%%", "%")] = true
			}
			return true
		})
	})
	if len(seen) < 100 {
		t.Fatalf("there are %d hints", len(seen))
	}
	return slices.Sorted(maps.Keys(seen))
}

// constantText gives the text of a string constant, or of constants that are added up.
func constantText(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, ok1 := constantText(e.X)
		b, ok2 := constantText(e.Y)
		if !ok1 {
			a = "…"
		}
		if !ok2 {
			b = "…"
		}
		return a + b, ok1 || ok2
	}
	return "", false
}

// sqlStates reads the codes where they are defined.
func sqlStates(t *testing.T) (out [][2]string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../internal/sqlerr/codes.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		lit, ok := v.Values[0].(*ast.CompositeLit)
		if !ok || len(lit.Elts) != 1 {
			return true
		}
		code, ok := lit.Elts[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		var words strings.Builder
		for i, r := range v.Names[0].Name {
			if i > 0 && unicode.IsUpper(r) {
				words.WriteByte(' ')
			}
			words.WriteRune(unicode.ToLower(r))
		}
		out = append(out, [2]string{strings.Trim(code.Value, `"`), words.String()})
		return true
	})
	if len(out) < 50 {
		t.Fatalf("there are %d SQLSTATEs", len(out))
	}
	return out
}

// TestDocsLists compares the lists in the pages with what there is; -rewrite puts it in.
func TestDocsLists(t *testing.T) {
	lists := generated(t)
	used := map[string]bool{}
	mark := regexp.MustCompile(`(?s)<!-- list: (\w+) -->\n.*?<!-- end of list -->`)
	for _, p := range docPages(t) {
		now := mark.ReplaceAllStringFunc(p.text, func(old string) string {
			name := mark.FindStringSubmatch(old)[1]
			list, ok := lists[name]
			if !ok {
				t.Errorf("%s: there is no list %q", p.path, name)
				return old
			}
			used[name] = true
			return "<!-- list: " + name + " -->\n" + list + "<!-- end of list -->"
		})
		if now == p.text {
			continue
		}
		if !*rewrite {
			t.Errorf("%s: a list is not what there is; go generate ./conformance mends it", p.path)
		} else if err := os.WriteFile(p.path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name := range lists {
		if !used[name] {
			t.Errorf("no page has the list %q", name)
		}
	}
}

// TestDashboard holds that Grafana's dashboard is JSON, and that each metric in it exists.
func TestDashboard(t *testing.T) {
	b, err := os.ReadFile("../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatal("the dashboard is no JSON")
	}
	known := map[string]bool{"saltsql_build_info": true}
	for _, m := range metrics.All() {
		known[m.Name] = true
		if m.Kind == 0 {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} { // a histogram's
				known[m.Name+suffix] = true
			}
		}
	}
	seen := 0
	for _, name := range regexp.MustCompile(`saltsql_[a-z0-9_]+`).FindAllString(string(b), -1) {
		if !known[name] {
			t.Errorf("there is no metric %s", name)
		}
		seen++
	}
	if seen < 15 {
		t.Errorf("the dashboard names %d metrics only", seen)
	}
}
