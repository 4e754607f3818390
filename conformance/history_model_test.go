package conformance

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// histRow is one row of the tables that TestHistories writes.
type histRow struct {
	there bool
	v, w  histInt
}

// histInt is an int4 or NULL.
type histInt struct {
	n  int
	ok bool
}

func (i histInt) String() string {
	if !i.ok {
		return "NULL"
	}
	return fmt.Sprint(i.n)
}

func someInt(n int) histInt { return histInt{n, true} }

// plus is coalesce(i, 0) + n.
func (i histInt) plus(n int) histInt { return someInt(i.n + n) }

func (r histRow) String() string {
	if !r.there {
		return "no row"
	}
	return fmt.Sprintf("v %v, w %v", r.v, r.w)
}

// histCall is one statement, or one block, on one row.
type histCall struct {
	kind string
	key  string
	fill histInt // w's default in the key's table
	x, n int     // what it writes to v, and adds or writes to w
}

// histAnswer is what the client was told.
type histAnswer struct {
	unknown bool    // 40003: it may have happened, or may yet
	row     histRow // of a read, or what RETURNING gave
	count   int     // rows affected, by the statements that may miss
	dup     bool    // 23505
}

func (c histCall) String() string { return fmt.Sprintf("%s %s v=%d w=%d", c.kind, c.key, c.x, c.n) }

func (a histAnswer) String() string {
	switch {
	case a.unknown:
		return "unknown"
	case a.dup:
		return "duplicate key"
	}
	return fmt.Sprintf("%d rows: %v", a.count, a.row)
}

// step is what PostgreSQL does. It gives the row after the call and whether the
// answer is one that it may have given; an unknown answer may be any.
func (c histCall) step(r histRow, a histAnswer) (histRow, bool) {
	whole := histRow{true, someInt(c.x), someInt(c.n)}
	added := histRow{true, someInt(c.x), r.w.plus(c.n)}
	named := histRow{true, someInt(c.x), r.w} // UPSERT (k, v)
	if !r.there {
		named.w = c.fill
	}
	is := func(next histRow, ok bool) (histRow, bool) {
		if a.unknown {
			return next, true
		}
		return next, ok
	}
	hit := func(happens bool, next histRow, ok bool) (histRow, bool) {
		if !happens {
			return is(r, a.count == 0)
		}
		return is(next, a.count == 1 && ok)
	}
	switch c.kind {
	case "read":
		return is(r, a.row == r)
	case "upsert all":
		return is(whole, true)
	case "upsert v":
		return is(named, true)
	case "upsert ignore", "insert nothing":
		return hit(!r.there, whole, true)
	case "upsert duplicate", "insert update":
		if !r.there {
			return is(whole, a.row.w == whole.w)
		}
		next := histRow{true, r.v, r.w.plus(c.n)}
		return is(next, a.row.w == next.w)
	case "insert":
		if r.there {
			return is(r, a.dup)
		}
		return is(whole, !a.dup)
	case "update":
		return hit(r.there, added, a.row.w == added.w)
	case "update if even":
		return hit(r.there && r.w.ok && r.w.n%2 == 0, histRow{true, someInt(c.x), r.w}, true)
	case "update null":
		return hit(r.there, histRow{true, histInt{}, r.w}, true)
	case "delete":
		return hit(r.there, histRow{}, true)
	case "delete if even":
		return hit(r.there && r.w.ok && r.w.n%2 == 0, histRow{}, true)
	case "block upsert v, add":
		next := histRow{true, someInt(c.x), named.w.plus(c.n)}
		return is(next, a.row.w == next.w)
	case "block add, upsert v":
		if a.count == 0 { // that no row was there was before the commit
			return is(named, true)
		}
		return is(added, r.there && a.row.w == added.w)
	case "block delete, insert":
		return is(whole, r.there == (a.count == 1))
	case "block add twice":
		if a.count == 0 { // as above; the row may have come between the two as well
			return r, true
		}
		next := histRow{true, someInt(c.x), r.w.plus(a.count * c.n)}
		return is(next, r.there && a.row.w == next.w)
	case "block upsert all, add":
		next := histRow{true, someInt(c.x), someInt(2 * c.n)}
		return is(next, a.row.w == next.w)
	}
	panic(c.kind)
}

var histKinds = []string{
	"read", "read", "read", "upsert all", "upsert all", "upsert v", "upsert v", "upsert ignore", "insert nothing", "upsert duplicate", "insert update",
	"insert", "update", "update", "update", "update if even", "update null", "delete", "delete if even",
	"block upsert v, add", "block upsert v, add", "block add, upsert v", "block delete, insert", "block add twice", "block upsert all, add",
}

var histModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, op := range history {
			k := op.Input.(histCall).key
			byKey[k] = append(byKey[k], op)
		}
		var out [][]porcupine.Operation
		for _, ops := range byKey {
			out = append(out, ops)
		}
		return out
	},
	Init: func() any { return histRow{} },
	Step: func(state, input, output any) (bool, any) {
		next, ok := input.(histCall).step(state.(histRow), output.(histAnswer))
		return ok, next
	},
	DescribeOperation: func(input, output any) string {
		return fmt.Sprintf("%v: %v", input.(histCall), output.(histAnswer))
	},
	DescribeState: func(state any) string { return state.(histRow).String() },
}

// never is the end of a call whose outcome is unknown.
const never = math.MaxInt64

// histText writes the history of the keys that are not linearizable.
func histText(history []porcupine.Operation) string {
	var b strings.Builder
	for _, ops := range histModel.Partition(history) {
		if porcupine.CheckOperations(histModel, ops) {
			continue
		}
		slices.SortFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
		for _, op := range ops {
			end := "never"
			if op.Return != never {
				end = fmt.Sprintf("%.3f", float64(op.Return)/1e6)
			}
			fmt.Fprintf(&b, "%9.3f to %9s ms, client %d: %s\n", float64(op.Call)/1e6, end, op.ClientId, histModel.DescribeOperation(op.Input, op.Output))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
