package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
)

// hashedColumns are the key positions whose values decide the bucket.
func hashedColumns(t *catalog.Table) []int {
	if t.Epochs != nil {
		return t.Codec().Key.HashedColumns()
	}
	if len(t.Options.SaltColumns) == 0 {
		return plan.AllColumns(len(t.PrimaryKey))
	}
	var cols []int
	for pos, c := range t.PrimaryKey {
		for _, name := range t.Options.SaltColumns {
			if t.Columns[c].Name == name {
				cols = append(cols, pos)
			}
		}
	}
	return cols
}

// bucketText says how many of the buckets a scan touches, or what decides it,
// and why all of them where none can be left out.
func bucketText(s *plan.Scan) string {
	n := s.Table.Buckets()
	hashed := hashedColumns(s.Table)
	said := s.Said
	if said == nil && s.Key != nil {
		said = s.Key.Or
	}
	if len(said) == 0 {
		return fmt.Sprintf("%d of %d: %s", n, n, notBound(s.Table, hashed))
	}
	total := 0
	for i := range said {
		all, m := said[i].Values(hashed)
		if !all {
			return rangedBuckets(s.Table, &said[i], hashed)
		}
		if m == 0 {
			total = n
		}
		total = min(total+m, n)
	}
	from := "derived from " + keyNames(s.Table, hashed)
	if params := paramText(s.Key, hashed); params != "" {
		from = "derived from " + params
	}
	if total > 1 {
		return fmt.Sprintf("up to %d of %d: %s", total, n, from)
	}
	return fmt.Sprintf("%d of %d: %s", total, n, from)
}

// rangedBuckets is bucketText of a conjunction that leaves hashed columns without values.
// Ranges of few values are listed when the scan runs: of a literal one it is known here
// whether it has fewer than there are buckets.
func rangedBuckets(t *catalog.Table, c *plan.KeyConj, hashed []int) string {
	n := t.Buckets()
	free := freeColumns(c, hashed)
	if !boundBothSides(t, c, free) {
		return fmt.Sprintf("%d of %d: %s", n, n, whyUnbound(t, c, free))
	}
	most, known := 1, true
	for _, col := range free {
		m, ok := rangeValues(c, t.Columns[t.PrimaryKey[col]].Type, col)
		most, known = min(most*m, n), known && ok
	}
	_, times := c.Values(without(hashed, free))
	if len(t.Options.SaltColumns) > 0 && times > 0 {
		most, times = min(most*times, n), 1
	}
	if known && most >= n {
		ranges := "the range of " + keyNames(t, free) + " has"
		if len(free) > 1 {
			ranges = "the ranges of " + keyNames(t, free) + " have"
		}
		return fmt.Sprintf("%d of %d: %s as many values as there are buckets, or more", n, n, ranges)
	}
	if !known || times == 0 {
		most = n
	}
	return fmt.Sprintf("up to %d of %d: from the range of %s", min(most*max(times, 1), n), n, keyNames(t, free))
}

func without(list, drop []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(v int) bool { return slices.Contains(drop, v) })
}

// bounds gives the terms that bound col from one side each.
func bounds(c *plan.KeyConj, col int) []plan.KeyTerm {
	var list []plan.KeyTerm
	for _, t := range c.Terms {
		switch t.Op {
		case plan.KeyLt, plan.KeyLe, plan.KeyGt, plan.KeyGe:
			if t.Columns[0] == col {
				list = append(list, t)
			}
		}
	}
	return list
}

// rangeValues counts the whole numbers or days that col lies between, up to MaxPoints; ok
// is false where they are not known before the scan runs.
func rangeValues(c *plan.KeyConj, typ types.T, col int) (n int, ok bool) {
	if typ.Kind == types.Bool {
		return 2, true
	}
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	for _, t := range bounds(c, col) {
		k, ok := t.Args[0].(*expr.Const)
		if !ok || k.Value.Null || k.T.Phys() != types.PhysInt || (k.T.Kind == types.Date) != (typ.Kind == types.Date) {
			return plan.MaxPoints, false
		}
		switch v := k.Value.Int; t.Op {
		case plan.KeyGe:
			lo = max(lo, v)
		case plan.KeyGt:
			lo = max(lo, v+b2i(v < math.MaxInt64))
		case plan.KeyLe:
			hi = min(hi, v)
		case plan.KeyLt:
			hi = min(hi, v-b2i(v > math.MinInt64))
		}
	}
	if lo > hi {
		return 0, true
	}
	return int(min(uint64(hi)-uint64(lo), plan.MaxPoints-1)) + 1, true
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func freeColumns(c *plan.KeyConj, hashed []int) []int {
	var free []int
	for _, col := range hashed {
		if all, _ := c.Values([]int{col}); !all {
			free = append(free, col)
		}
	}
	return free
}

// boundBothSides says that each column lies between two bounds: where that is
// a short range of whole numbers, dates or booleans, its values are enumerated when the scan runs.
func boundBothSides(t *catalog.Table, c *plan.KeyConj, columns []int) bool {
	for _, col := range columns {
		if !plan.Discrete(t.Columns[t.PrimaryKey[col]].Type.Kind) {
			return false
		}
		lo, hi := false, false
		for i := range c.Terms {
			term := &c.Terms[i]
			if len(term.Columns) == 1 && term.Columns[0] == col {
				lo = lo || term.Op == plan.KeyGt || term.Op == plan.KeyGe
				hi = hi || term.Op == plan.KeyLt || term.Op == plan.KeyLe
			}
		}
		if !lo || !hi {
			return false
		}
	}
	return true
}

// whyUnbound tells columns that nothing is said of from those that are bound by a range.
func whyUnbound(t *catalog.Table, c *plan.KeyConj, columns []int) string {
	var free, ranged []int
	for _, col := range columns {
		if mentions(c, col) {
			ranged = append(ranged, col)
		} else {
			free = append(free, col)
		}
	}
	if len(ranged) == 0 {
		return notBound(t, free)
	}
	text := keyNames(t, ranged) + " is bound by a range only"
	if len(ranged) > 1 {
		text = keyNames(t, ranged) + " are bound by ranges only"
	}
	if len(free) > 0 {
		return text + ", " + notBound(t, free)
	}
	return text
}

// mentions says that a term of c is about column col.
func mentions(c *plan.KeyConj, col int) bool {
	return slices.ContainsFunc(c.Terms, func(t plan.KeyTerm) bool { return slices.Contains(t.Columns, col) })
}

func notBound(t *catalog.Table, columns []int) string {
	if len(columns) == 1 {
		return keyNames(t, columns) + " is not bound"
	}
	return keyNames(t, columns) + " are not bound"
}

func keyNames(t *catalog.Table, positions []int) string {
	names := make([]string, len(positions))
	for i, p := range positions {
		names[i] = t.Columns[t.PrimaryKey[p]].Name
	}
	return strings.Join(names, ", ")
}

// paramText lists the parameters that columns are compared with: "$1, $2".
func paramText(k *plan.KeyCond, columns []int) string {
	var list []string
	seen := map[int]bool{}
	for _, c := range k.Or {
		for _, t := range c.Terms {
			if !slices.ContainsFunc(t.Columns, func(c int) bool { return slices.Contains(columns, c) }) {
				continue
			}
			for _, a := range t.Args {
				expr.Walk(a, func(e expr.Expr) bool {
					if p, ok := e.(*expr.Param); ok && !seen[p.N] {
						seen[p.N] = true
						list = append(list, fmt.Sprintf("$%d", p.N))
					}
					return true
				})
			}
		}
	}
	return strings.Join(list, ", ")
}

// keyOrderText prints the order of a table's key, or its exact reverse.
func keyOrderText(t *catalog.Table, o plan.Order) string {
	names := make([]string, len(t.PrimaryKey))
	for i, c := range t.PrimaryKey {
		names[i] = t.Columns[c].Name
		if t.Columns[c].Desc != (o == plan.Reverse) {
			names[i] += " DESC"
		}
	}
	return strings.Join(names, ", ")
}

// describeSaltGather shows the buckets and whether they are read in turn.
func describeSaltGather(n *plan.SaltGather) Description {
	d := Description{Name: "Salt Gather", Attrs: inputBuckets(n.Input)}
	if n.Serial {
		note(d.Attrs, "one after another")
	}
	return d
}

// inputBuckets is bucketAttr of the first scan that is run by bucket.
func inputBuckets(n plan.Node) []Attr {
	if scans := plan.BucketScans(nil, n); len(scans) > 0 {
		return saltAttrs(scans[0])
	}
	return nil
}

// saltAttrs is bucketText, with its reason as a note, behind the epochs where the table has some.
func saltAttrs(s *plan.Scan) []Attr {
	var list []Attr
	text := ""
	switch {
	case s.Table.Epochs != nil:
		var epochs string
		epochs, text = spanText(s)
		list = attrs("epochs", epochs)
	case s.Key != nil && len(s.Key.Within) > 0:
		_, text = spanText(s)
	default:
		text = bucketText(s)
	}
	value, why, _ := strings.Cut(text, ": ")
	return append(list, Attr{Key: "buckets", Value: value, Note: why})
}

// spanText says how many of the epochs a scan touches, if there are any, and how many of the buckets, by
// its spans: known here where the key is bound by constants alone.
func spanText(s *plan.Scan) (epochs, buckets string) {
	key := &s.Table.Codec().Key
	of, n := 0, key.Buckets
	if key.Epochs != nil {
		of = len(key.Epochs.List)
	}
	unknown := s.Key.HasArg(func(e expr.Expr) bool {
		_, known := e.(*expr.Const)
		return !known
	})
	if unknown {
		return fmt.Sprintf("up to %d of %d", of, of), fmt.Sprintf("up to %d of %d", n, n)
	}
	set, err := keyspan.Of(s.Table, s.Key, &expr.Env{})
	if err != nil {
		return fmt.Sprintf("%d of %d", of, of), fmt.Sprintf("%d of %d", n, n)
	}
	buckets = fmt.Sprintf("%d of %d", key.BucketsTouched(set), n)
	if set.NotPruned != "" {
		buckets += ": " + set.NotPruned
	}
	if key.Epochs != nil {
		epochs = fmt.Sprintf("%d of %d", key.Epochs.Touched(key, set), of)
	}
	return epochs, buckets
}

// describeSaltMerge shows the buckets and the order they are merged in.
func describeSaltMerge(n *plan.SaltMerge) Description {
	d := Description{Name: "Salt Merge", Attrs: inputBuckets(n.Input)}
	if s := n.Scan(); s != nil {
		d.Attrs = append(d.Attrs, attrs("order", keyOrderText(s.Table, s.Order))...)
		return d
	}
	d.Attrs = append(d.Attrs, attrs("order", sortText(n.Keys))...)
	return d
}
