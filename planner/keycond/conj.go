package keycond

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/planner/plan"
)

// ValueRun counts the leading key columns that c binds to single values.
func ValueRun(c *plan.KeyConj) int {
	n := 0
	for bindsValues(c, n) {
		n++
	}
	return n
}

func bindsValues(c *plan.KeyConj, col int) bool {
	for i := range c.Terms {
		switch t := &c.Terms[i]; t.Op {
		case plan.KeyEq, plan.KeyIn, plan.KeyInArray, plan.KeyIsNull:
			if t.Columns[0] == col {
				return true
			}
		}
	}
	return false
}

// Bounds says that c narrows column col by itself, or by a tuple that begins with it.
func Bounds(c *plan.KeyConj, col int) bool {
	for i := range c.Terms {
		if c.Terms[i].Columns[0] == col {
			return true
		}
	}
	return false
}

// BindsBucket says that c decides the salt bucket though it leaves the first column
// free: by values of the hashed columns, or by ranges of which the values are
// listed when the scan runs, where they are fewer than the buckets.
func BindsBucket(t *catalog.Table, c *plan.KeyConj) bool {
	if t.Buckets() == 0 || t.Epochs == nil && len(t.Options.SaltColumns) == 0 {
		return false
	}
	for _, pos := range t.Codec().Key.HashedColumns() {
		col := &t.Columns[t.PrimaryKey[pos]]
		if !bindsValues(c, pos) && !(plan.Discrete(col.Type.Kind) && closed(c, pos)) {
			return false
		}
	}
	return true
}

// BoundsEpoch says that c leaves out epochs of the table, though it may leave the first column free.
func BoundsEpoch(t *catalog.Table, c *plan.KeyConj) bool {
	return t.Epochs != nil && Bounds(c, t.Codec().Key.Epochs.Column)
}

// closed says that c bounds column col from both sides.
func closed(c *plan.KeyConj, col int) bool {
	var below, above bool
	for i := range c.Terms {
		if t := &c.Terms[i]; t.Columns[0] == col {
			below = below || t.Op == plan.KeyGt || t.Op == plan.KeyGe
			above = above || t.Op == plan.KeyLt || t.Op == plan.KeyLe
		}
	}
	return below && above
}

// OneRange says that c is a single value for each of some leading columns, then
// at most bounds on the next.
func OneRange(c *plan.KeyConj) bool {
	run := ValueRun(c)
	for i := range c.Terms {
		t := &c.Terms[i]
		switch t.Op {
		case plan.KeyIn, plan.KeyInArray, plan.KeyTupleIn:
			return false
		case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
			if t.Columns[0] <= run {
				return false
			}
		}
		if t.Columns[0] > run {
			continue // a filter that may narrow further
		}
	}
	return run > 0 || Bounds(c, 0)
}

// SeveralSpans says that a condition may mean more than one range.
func SeveralSpans(k *plan.KeyCond) bool {
	return len(k.Or) > 1 || !OneRange(&k.Or[0])
}
