package expr

import (
	"hash/maphash"

	"github.com/saltsql/saltsql/internal/types"
)

// Distinct is a set of expressions, none of which is Equal to another. It finds one in the time
// that it takes to read it, however many there are. The zero value is empty.
type Distinct struct {
	few []Expr
	by  map[uint64][]Expr
}

// fewDistinct is up to how many expressions are compared one by one.
const fewDistinct = 8

// Add adds e; false where the set has it.
func (d *Distinct) Add(e Expr) bool {
	if d.Has(e) {
		return false
	}
	if d.by == nil && len(d.few) < fewDistinct {
		d.few = append(d.few, e)
		return true
	}
	if d.by == nil {
		d.by = make(map[uint64][]Expr, 4*fewDistinct)
		for _, x := range d.few {
			h := hash(x)
			d.by[h] = append(d.by[h], x)
		}
		d.few = nil
	}
	h := hash(e)
	d.by[h] = append(d.by[h], e)
	return true
}

// Has says that the set has an expression that is Equal to e.
func (d *Distinct) Has(e Expr) bool {
	if d.by == nil {
		return ContainsExpr(d.few, e)
	}
	return ContainsExpr(d.by[hash(e)], e)
}

var hashSeed = maphash.MakeSeed()

// hash is the same of expressions that are Equal.
func hash(e Expr) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	word := func(kind byte, n int) {
		h.WriteByte(kind)
		for ; n != 0; n = int(uint(n) >> 8) {
			h.WriteByte(byte(n))
		}
	}
	Walk(e, func(x Expr) bool {
		switch x := x.(type) {
		case *Col:
			word('c', x.Index)
		case *Param:
			word('p', x.N)
		case *Call:
			word('f', len(x.Args))
			h.WriteString(x.Fn.Name)
		case *Const:
			word('k', int(x.T.Kind))
			if x.Value.Null {
				break
			}
			switch x.T.Kind {
			case types.Int2, types.Int4, types.Int8:
				word('i', int(x.Value.Int))
			case types.Text, types.Varchar:
				h.Write(x.Value.Bytes)
			}
		case *And:
			word('&', len(x.Args))
		case *Or:
			word('|', len(x.Args))
		default:
			h.WriteByte('?')
		}
		return true
	})
	return h.Sum64()
}
