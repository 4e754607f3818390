package join

import (
	"bytes"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// keyValues are the distinct values of one key of a join's build side, while they are
// few.
type keyValues struct {
	red  plan.KeyReduction
	t    types.T
	seen map[string]struct{} // by sort key
	vals []types.Datum
	over bool
	buf  []byte
	hold memory.Share
}

func (k *keyValues) open(cx *op.Context) {
	k.seen, k.vals, k.over, k.hold = map[string]struct{}{}, nil, k.red.Max <= 0, memory.Of(cx.Memory, false)
}

// add notes the slots sel of the key.
func (k *keyValues) add(v *vec.Vec, sel []uint16) {
	if k.over {
		return
	}
	for _, s := range sel {
		if v.Nulls.Get(int(s)) {
			continue
		}
		d := v.Datum(int(s))
		k.buf = spill.AppendKeyValue(k.buf[:0], k.t, d)
		if _, ok := k.seen[string(k.buf)]; ok {
			continue
		}
		if len(k.vals) == k.red.Max || !k.hold.To(k.hold.Bytes()+int64(len(k.buf))+d.Behind()+2*types.DatumSize) {
			k.over = true
			k.close()
			return
		}
		k.seen[string(k.buf)] = struct{}{}
		k.vals = append(k.vals, ownDatum(d))
	}
}

// array gives the values, or NULL where they are too many.
func (k *keyValues) array() types.Datum {
	if k.over {
		return types.NullDatum
	}
	a := &types.ArrayValue{Elem: k.t.Base(), Elems: k.vals}
	if n := len(k.vals); n > 0 {
		a.Dims = []int32{int32(n)}
	}
	return types.Datum{Array: a}
}

func (k *keyValues) close() {
	k.seen, k.vals = nil, nil
	k.hold.Release()
}

// ownDatum copies what a value points to, but arrays, which never change.
func ownDatum(d types.Datum) types.Datum {
	switch {
	case d.Null:
	case d.Decimal != nil:
		d.Decimal = new(apd.Decimal).Set(d.Decimal)
	case d.Bytes != nil:
		d.Bytes = bytes.Clone(d.Bytes)
	}
	return d
}
