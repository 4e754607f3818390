package planner

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/plan"
)

// Hints are a set of what Phoenix's comments /*+ … */ ask for.
type Hints uint8

// The hints that do something.
const (
	hintSerial        Hints = 1 << iota // SERIAL, SMALL: buckets are read one after another
	hintForwardScan                     // FORWARD_SCAN: no scan runs backwards; a sort does it
	hintRangeScan                       // RANGE_SCAN: no seeks, all rows of the spans are read
	hintSkipScan                        // SKIP_SCAN: seeks on tables of any size
	hintJoinAsWritten                   // NO_STAR_JOIN: relations are joined in the order written
	hintMergeJoin                       // USE_SORT_MERGE_JOIN: equalities are joined by merging sorted sides
	hintNoIndex                         // NO_INDEX, USE_DATA_OVER_INDEX_TABLE: tables are read by their primary keys
)

var hintNames = map[string]Hints{
	"SERIAL": hintSerial, "SMALL": hintSerial, "FORWARD_SCAN": hintForwardScan,
	"RANGE_SCAN": hintRangeScan, "SKIP_SCAN": hintSkipScan,
	"NO_STAR_JOIN": hintJoinAsWritten, "USE_SORT_MERGE_JOIN": hintMergeJoin,
	"NO_INDEX": hintNoIndex, "USE_DATA_OVER_INDEX_TABLE": hintNoIndex,
}

// indexHint is INDEX(t i j), which has t read by one of the indexes named, or NO_INDEX(t i), by
// none of them; without names it is about all of t's. t is what the statement calls the table.
type indexHint struct {
	table string
	names []string
	not   bool
	pos   int
	used  *bool // it is about a table of the statement, and an index that it has
}

func (h Hints) has(x Hints) bool { return h&x != 0 }

// HintsOf reads a list of names, as the setting saltsql.hints holds it. bad is the
// first that is none.
func HintsOf(list string) (h Hints, bad string) {
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		hint, ok := hintNames[strings.ToUpper(name)]
		if !ok {
			return h, name
		}
		h |= hint
	}
	return h, ""
}

// readHints adds a statement's hints to ctx's; one that is not known is told, and ignored.
func readHints(ctx *Context, stmt *tree.Statement) *Context {
	if len(stmt.Side.Hints) == 0 {
		return ctx
	}
	c := *ctx
	for _, h := range stmt.Side.Hints {
		if (h.Name == "INDEX" || h.Name == "NO_INDEX") && len(h.Args) > 0 {
			ih := indexHint{table: hintArg(h.Args[0]), not: h.Name == "NO_INDEX", pos: h.Pos, used: new(bool)}
			for _, a := range h.Args[1:] {
				ih.names = append(ih.names, hintArg(a))
			}
			c.indexHints = append(c.indexHints, ih)
			continue
		}
		hint, ok := hintNames[h.Name]
		if !ok && ctx.Notice != nil {
			ctx.Notice(sqlerr.Notice(sqlerr.Warning, "hint %s is not known and is ignored", h.Name).At(h.Pos).
				WithHint("The hints are SERIAL, FORWARD_SCAN, RANGE_SCAN, SKIP_SCAN, INDEX(table index), NO_INDEX, NO_STAR_JOIN and USE_SORT_MERGE_JOIN."))
		}
		c.Hints |= hint
	}
	return &c
}

// readsBackward says that a scan of n runs backwards.
func readsBackward(n plan.Node) bool {
	if s, ok := scanUnder(n); ok {
		return s.Order == plan.Reverse
	}
	for _, in := range n.Inputs() {
		if readsBackward(in) {
			return true
		}
	}
	return false
}

// hintArg reads a name of a hint as SQL does.
func hintArg(s string) string {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return strings.ReplaceAll(s[1:len(s)-1], `""`, `"`)
	}
	return strings.ToLower(s)
}

// of says that the hint is about a scan's table.
func (h *indexHint) of(s *plan.Scan) bool {
	name := s.Alias
	if name == "" {
		name = s.Table.Name
	}
	return h.table == name
}

func (h *indexHint) about(ix *catalog.Index) bool {
	return len(h.names) == 0 || slices.Contains(h.names, ix.Name)
}

// mayRead says that no hint forbids an index.
func (ctx *Context) mayRead(s *plan.Scan, ix *catalog.Index) bool {
	if ctx.Hints.has(hintNoIndex) {
		return false
	}
	for i := range ctx.indexHints {
		h := &ctx.indexHints[i]
		if !h.of(s) {
			continue
		}
		about := h.about(ix)
		if about {
			*h.used = true
		}
		if about == h.not {
			return false
		}
	}
	return true
}

// mustRead says that a hint names an index for a scan's table.
func (ctx *Context) mustRead(s *plan.Scan) bool {
	return slices.ContainsFunc(ctx.indexHints, func(h indexHint) bool { return !h.not && h.of(s) })
}

// tellUnusedHints tells which hints name no index of the statement's tables.
func (ctx *Context) tellUnusedHints() {
	for _, h := range ctx.indexHints {
		if *h.used || ctx.Notice == nil {
			continue
		}
		name := "INDEX"
		if h.not {
			name = "NO_INDEX"
		}
		ctx.Notice(sqlerr.Notice(sqlerr.Warning, "hint %s(%s) names no index of a table of the statement and is ignored", name,
			strings.Join(append([]string{h.table}, h.names...), " ")).At(h.pos).
			WithHint("The table goes by its alias, where it has one; indexes that are not built yet are not read."))
	}
}
