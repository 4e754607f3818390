package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/advise"
	"github.com/saltsql/saltsql/planner/plan"
)

// explainSalt is EXPLAIN SALT: what a statement reads of each table under the present salt and under
// others. 0A000 where no table is read whose salt could be another.
func (s *Session) explainSalt(with *planner.Context, st *Stmt, params []types.Datum) ([]string, error) {
	var tables []*catalog.Table
	var parts [][]string
	read := slices.Clone(st.plan.Tables)
	slices.SortFunc(read, func(a, b *catalog.Table) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
	for _, t := range read {
		if !t.SaltChanges() || t.Codec() == nil {
			continue
		}
		lines, err := s.saltLines(with, st, t, params)
		if err != nil {
			return nil, err
		}
		if lines != nil {
			tables, parts = append(tables, t), append(parts, lines)
		}
	}
	switch len(parts) {
	case 0:
		return nil, sqlerr.Unsupported("EXPLAIN SALT of a statement that reads no table whose salt can be changed is not supported",
			"The salt of attached, temporary and materialized tables is fixed: use EXPLAIN.")
	case 1:
		return parts[0], nil
	}
	var lines []string
	for i, t := range tables {
		lines = append(lines, catalog.QualifiedName(t.Schema, t.Name)+":")
		for _, l := range parts[i] {
			lines = append(lines, "  "+l)
		}
	}
	return lines, nil
}

// saltLines tells what is read of one table; nil where none of its rows is.
func (s *Session) saltLines(with *planner.Context, st *Stmt, t *catalog.Table, params []types.Datum) ([]string, error) {
	var names, lines []string
	wide, scans := 0, 0
	for i, salt := range advise.SaltVariants(t) {
		b, err := s.beginUnder(with, st, t, salt, i == 0, params)
		if err != nil {
			return nil, err
		}
		scans += b.Scans
		name := salt.String()
		if i == 0 {
			name = "now: " + name
			if t.Epochs != nil {
				name += fmt.Sprintf(", %d epochs", len(t.Epochs.List))
			}
		}
		names, wide = append(names, name), max(wide, utf8.RuneCountInString(name))
		lines = append(lines, beginText(&b))
	}
	if scans == 0 {
		return nil, nil
	}
	for i := range lines {
		lines[i] = names[i] + strings.Repeat(" ", wide+2-utf8.RuneCountInString(names[i])) + lines[i]
	}
	return lines, nil
}

// beginUnder plans the statement as if t had a salt, or as it is, and tells where its scans of t and
// of its indexes begin.
func (s *Session) beginUnder(with *planner.Context, st *Stmt, t *catalog.Table, salt catalog.Salt, asIs bool, params []types.Datum) (b exec.Beginning, err error) {
	sp := &advise.SaltPlan{Context: with, Plan: st.plan}
	if !asIs {
		if sp, err = advise.WithSalt(with, st.st, t, salt); err != nil {
			return b, err
		}
	} else if sp.Plan, err = planner.Plan(with, st.st); err != nil {
		return b, err
	}
	of := func(n *plan.Scan) bool { return n.Table.ID == t.ID || n.Of != nil && n.Of.ID == t.ID }
	caps := s.txns().Raw().Caps()
	return exec.Begin(sp.Plan.Root, of, sp.Rows, s.env(params), &caps)
}

func beginText(b *exec.Beginning) string {
	var w strings.Builder
	switch {
	case b.Scans == 0:
		return "not read"
	case b.Of == 0:
		w.WriteString("no buckets")
	default:
		fmt.Fprintf(&w, "%d of %d buckets", b.Buckets, b.Of)
		if b.Why != "" && b.Buckets == b.Of {
			w.WriteString(": " + b.Why)
		}
	}
	calls, unit := "≈", "calls"
	if b.Exact {
		calls = " "
	}
	if b.Exact {
		if b.Calls == 1 {
			unit = "call"
		}
		fmt.Fprintf(&w, ", %d%s%s", b.Calls, calls, unit)
	} else {
		fmt.Fprintf(&w, ", %s%s%d", unit, calls, b.Calls)
	}
	fmt.Fprintf(&w, ", rows≈%.0f", math.Round(b.Rows))
	return w.String()
}
