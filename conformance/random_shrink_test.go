package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/conformance/random"
)

// disagreement is a disagreement of two engines about the last of some statements.
type disagreement struct {
	a, b      *randomRun
	stmts     []random.Statement
	want, got string
}

func (f *disagreement) difference() string {
	if len(f.stmts) == 0 {
		return f.b.ddl + "\n" + f.got
	}
	return fmt.Sprintf("%s;\n%s gives\n%s\n%s gives\n%s", f.stmts[len(f.stmts)-1].SQL(), f.a, f.want, f.b, f.got)
}

// shrinkTime bounds how long a failure is made smaller.
const shrinkTime = 30 * time.Second

// shrink leaves out statements, rows and conditions as long as the two engines
// still disagree about the last statement.
func (f *disagreement) shrink(ctx context.Context) *disagreement {
	if len(f.stmts) == 0 {
		return f
	}
	deadline := time.Now().Add(shrinkTime)
	try := func(stmts []random.Statement) bool {
		if time.Now().After(deadline) {
			return false
		}
		if g := f.replay(ctx, stmts); g != nil && failed(g.want) == failed(f.want) && failed(g.got) == failed(f.got) {
			*f = *g
			return true
		}
		return false
	}
	g := *f
	f = &g
	f.dropStatements(try)
	for i := range f.stmts {
		f.dropParts(i, try)
	}
	f.dropStatements(try)
	return f
}

func failed(answer string) bool { return strings.Contains(answer, reportMark) }

func (f *disagreement) dropStatements(try func([]random.Statement) bool) {
	for size := max(1, len(f.stmts)/2); ; size /= 2 {
		for at := 0; at < len(f.stmts)-1; {
			n := min(size, len(f.stmts)-1-at)
			if !try(slices.Delete(slices.Clone(f.stmts), at, at+n)) {
				at += n
			}
		}
		if size <= 1 {
			return
		}
	}
}

// dropParts makes one statement smaller.
func (f *disagreement) dropParts(i int, try func([]random.Statement) bool) {
	change := func(edit func(s *random.Statement)) bool {
		stmts := slices.Clone(f.stmts)
		edit(&stmts[i])
		return try(stmts)
	}
	for j := 0; j < len(f.stmts[i].Rows) && len(f.stmts[i].Rows) > 1; {
		if !change(func(s *random.Statement) {
			s.Rows = slices.Delete(slices.Clone(s.Rows), j, j+1)
			if s.Plain != nil {
				s.Plain = slices.Delete(slices.Clone(s.Plain), j, j+1)
			}
		}) {
			j++
		}
	}
	if f.stmts[i].Plain == nil {
		for j := 0; j < len(f.stmts[i].Where) && len(f.stmts[i].Where) > 1; {
			if !change(func(s *random.Statement) { s.Where = slices.Delete(slices.Clone(s.Where), j, j+1) }) {
				j++
			}
		}
	}
	for j := 0; j < len(f.stmts[i].Sets) && len(f.stmts[i].Sets) > 1; {
		if !change(func(s *random.Statement) { s.Sets = slices.Delete(slices.Clone(s.Sets), j, j+1) }) {
			j++
		}
	}
	change(func(s *random.Statement) { s.Page = 0 })
}

// replay runs statements on fresh tables of the two engines, and gives the
// disagreement about the last one, if there is one.
func (f *disagreement) replay(ctx context.Context, stmts []random.Statement) *disagreement {
	g := &disagreement{stmts: stmts}
	for _, r := range []**randomRun{&g.a, &g.b} {
		old := f.a
		if r == &g.b {
			old = f.b
		}
		run, err := old.start(ctx, old.ddl)
		defer run.close(ctx)
		if err != nil {
			return nil
		}
		*r = run
	}
	for i, st := range stmts {
		g.want, g.got = g.a.answer(ctx, st), g.b.answer(ctx, st)
		if last := i == len(stmts)-1; same(g.want, g.got) == last {
			return nil
		}
	}
	return g
}

// script writes the fault as a file of statements for regressions, with the
// first engine's answer.
func (f *disagreement) script(ctx context.Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "statement ok\n%s\n", strings.ReplaceAll(f.b.ddl, nextDDL, "\n\nstatement ok\n"))
	for i, st := range f.stmts {
		sql := st.SQL()
		if st.Name == "" {
			fmt.Fprintf(&b, "\nstatement ok\n%s\n", sql)
		} else {
			var ts []string
			for _, oid := range st.OIDs {
				ts = append(ts, fmt.Sprint(oid))
			}
			fmt.Fprintf(&b, "\nstatement ok\nPREPARE %s /* type OIDs %s */ AS %s\n", st.Name, strings.Join(ts, ", "), sql)
			for _, set := range st.Sets {
				var vs []string
				for _, v := range set {
					if v == nil {
						vs = append(vs, "NULL")
					} else {
						vs = append(vs, quote(*v))
					}
				}
				fmt.Fprintf(&b, "\nstatement ok\nEXECUTE %s(%s)\n", st.Name, strings.Join(vs, ", "))
			}
		}
		if i == len(f.stmts)-1 {
			fmt.Fprintf(&b, "----\n%s gives\n%s\n%s gives\n%s\n", f.a, f.want, f.b, f.got)
			if st.Page > 0 {
				fmt.Fprintf(&b, "# read in pages of %d rows\n", st.Page)
			}
		}
	}
	return b.String()
}
