package join

import (
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// joinKeys computes the keys of one side of a hash join and their hashes.
//
//	10…  1…   hash of all keys         none that is Unknown is NULL
//	01…       hash of those not Unknown    one that is Unknown is NULL
//	0         no candidate: another key is NULL
type joinKeys struct {
	*op.RowExprs
	nulls   []bool   // NullsEqual, per key
	unknown []bool   // Unknown, per key
	some    bool     // a key is Unknown
	hashes  []uint64 // per slot of the batch evaluated last
	sure    []uint64 // likewise, of the keys that are not Unknown, where some are
}

const (
	hashAll     = 1 << 63
	hashSure    = 1 << 62
	hashClasses = hashAll | hashSure
	hashSeed    = 0x5a17
)

func newJoinKeys(keys []plan.JoinKey, left bool) (*joinKeys, error) {
	k := &joinKeys{}
	es := make([]expr.Expr, len(keys))
	for i, key := range keys {
		if es[i] = key.Right; left {
			es[i] = key.Left
		}
		k.nulls, k.unknown = append(k.nulls, key.NullsEqual), append(k.unknown, key.Unknown)
		k.some = k.some || key.Unknown
	}
	var err error
	k.RowExprs, err = op.NewRowExprs(es)
	return k, err
}

// clone gives a copy for another goroutine.
func (k *joinKeys) clone() *joinKeys {
	return &joinKeys{RowExprs: k.RowExprs.Clone(), nulls: k.nulls, unknown: k.unknown, some: k.some}
}

// kept gives the types of the columns that keeping a side's rows takes, and where among
// them the keys are: a key that is a column is kept once.
func (k *joinKeys) kept(side []types.T) (all []types.T, at []int) {
	all = append(all, side...)
	for _, p := range k.Progs {
		if c, ok := p.Expr().(*expr.Col); ok {
			at = append(at, c.Index)
			continue
		}
		at, all = append(at, len(all)), append(all, p.Type())
	}
	return all, at
}

// slotsOf is how many slots a list of them, ascending, reaches over.
func slotsOf(sel []uint16) int {
	if len(sel) == 0 {
		return 0
	}
	return int(sel[len(sel)-1]) + 1
}

// atLeast makes s n elements long, at least, and keeps them.
func atLeast[E any](s []E, n int) []E {
	if n <= len(s) {
		return s
	}
	return slices.Grow(s, n-len(s))[:n]
}

// hash computes the hashes of a batch whose keys vals are.
func (k *joinKeys) hash(vals []*vec.Vec, sel []uint16) {
	k.hashes = atLeast(k.hashes, slotsOf(sel))
	if k.some {
		k.sure = atLeast(k.sure, slotsOf(sel))
	}
	for _, s := range sel {
		k.hashes[s] = hashSeed
	}
	for i, v := range vals {
		if !k.unknown[i] {
			vec.Hash(v, sel, k.hashes)
		}
	}
	if k.some {
		for _, s := range sel {
			k.sure[s] = k.hashes[s]&^hashClasses | hashSure
		}
		for i, v := range vals {
			if k.unknown[i] {
				vec.Hash(v, sel, k.hashes)
			}
		}
	}
	for _, s := range sel {
		k.hashes[s] |= hashAll
	}
	for i, v := range vals {
		if !v.Nulls.Any() || k.nulls[i] {
			continue
		}
		for _, s := range sel {
			switch {
			case !v.Nulls.Get(int(s)):
			case !k.unknown[i]:
				k.hashes[s] = 0
				if k.some {
					k.sure[s] = 0
				}
			case k.hashes[s] != 0:
				k.hashes[s] = k.sure[s]
			}
		}
	}
}
