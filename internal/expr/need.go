package expr

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// need is about how many bytes a function takes to compute one value, its result
// included: what callNode asks for before it calls the function. Functions that say more
// exactly themselves what they need, or take no more than their arguments, have none.
type need func(a []types.Datum) int

// elemBytes is what an element of an array of texts takes while the array is made.
const elemBytes = types.DatumSize + 40

var needs = map[string]need{
	"lower": ofText(1), "upper": ofText(1), "initcap": ofText(1), "reverse": ofText(1),
	"translate":     ofText(4),
	"quote_literal": ofText(4), "quote_nullable": ofText(4), "quote_ident": ofText(4),
	"encode": ofText(4), "decode": ofText(2), "convert_from": ofText(2),
	"concat": ofAll, "concat_ws": ofWS, "||": ofAll, "overlay": ofAll,
	"array_cat": ofAll, "array_append": ofAll, "array_prepend": ofAll, "array_remove": ofAll,
	"format":          ofFormat,
	"to_char":         ofTemplate,
	"string_to_array": ofSplit, "string_to_table": ofSplit,
	"array_fill":      ofFill,
	"array_replace":   ofReplaced,
	"array_to_string": ofJoined,
	"to_json":         ofPrinted, "to_jsonb": ofPrinted, "array_to_json": ofPrinted,
	"json_build_array": ofPrinted, "jsonb_build_array": ofPrinted,
	"json_build_object": ofPrinted, "jsonb_build_object": ofPrinted,
}

// needOf finds the need of a function with arguments of types ts; nil for none.
func needOf(name string, ts []types.T) need {
	n := needs[name]
	for i, t := range ts {
		if t.Kind == types.JSON || t.Kind == types.JSONB {
			return ofJSON(n, i)
		}
	}
	return n
}

// size is the memory of a value.
func size(d *types.Datum) int {
	if d.Null {
		return 0
	}
	return int(d.Behind())
}

func ofText(factor int) need {
	return func(a []types.Datum) int { return factor * len(a[0].Bytes) }
}

func ofAll(a []types.Datum) int {
	n := 0
	for i := range a {
		n += size(&a[i])
	}
	return n
}

func ofWS(a []types.Datum) int { return ofAll(a[1:]) + len(a)*len(a[0].Bytes) }

func ofFormat(a []types.Datum) int {
	most := 0
	for i := range a[1:] {
		most = max(most, size(&a[i+1]))
	}
	return 2*len(a[0].Bytes) + bytes.Count(a[0].Bytes, []byte{'%'})*most
}

// ofTemplate covers the parsed template and what it prints.
func ofTemplate(a []types.Datum) int { return 96 * len(a[1].Bytes) }

func ofSplit(a []types.Datum) int {
	s := a[0].Bytes
	parts := 1
	switch {
	case a[1].Null:
		parts = len(s)
	case len(a[1].Bytes) > 0:
		parts += bytes.Count(s, a[1].Bytes)
	}
	return len(s) + parts*elemBytes
}

func ofFill(a []types.Datum) int {
	n := int64(1)
	if a[1].Null {
		return 0
	}
	for _, d := range a[1].Array.Elems {
		if n *= max(d.Int, 0); n > maxFilled {
			return 0 // refused as it is
		}
	}
	return int(n) * (2*types.DatumSize + size(&a[0]))
}

func ofReplaced(a []types.Datum) int {
	if a[0].Null {
		return 0
	}
	return size(&a[0]) + len(a[0].Array.Elems)*size(&a[2])
}

func ofJoined(a []types.Datum) int {
	if a[0].Null {
		return 0
	}
	n := len(a[1].Bytes)
	if len(a) > 2 {
		n += len(a[2].Bytes)
	}
	return 2*size(&a[0]) + len(a[0].Array.Elems)*n
}

func ofPrinted(a []types.Datum) int { return 3 * ofAll(a) }

// ofJSON adds what the i-th argument takes when it is read.
func ofJSON(n need, i int) need {
	return func(a []types.Datum) int {
		all := JSONNeed(a[i].Bytes)
		if n != nil {
			all += n(a)
		}
		return all
	}
}

// JSONNeed is what a JSON text takes when it is read: its values, and their text again.
func JSONNeed(b []byte) int {
	const each = 192
	return 3*len(b) + (bytes.Count(b, []byte{','})+bytes.Count(b, []byte{'['})+bytes.Count(b, []byte{'{'}))*each
}

// castNeed is the need of a cast; nil for none.
func castNeed(from, to types.T) need {
	switch {
	case to.Kind == types.JSONB || to.Kind == types.JSON:
		return func(a []types.Datum) int { return JSONNeed(a[0].Bytes) }
	case to.Kind == types.Array && from.Kind != types.Array:
		return func(a []types.Datum) int {
			return 2*len(a[0].Bytes) + (bytes.Count(a[0].Bytes, []byte{','})+1)*elemBytes
		}
	case to.Kind == types.Array:
		return func(a []types.Datum) int { return 2 * size(&a[0]) }
	case to.Category() == 'S' && (from.Kind == types.Array || from.Kind == types.Record || from.Kind == types.Bytea):
		return func(a []types.Datum) int { return 2 * size(&a[0]) }
	}
	return nil
}

// check asks for the room that a function needs for each of the rows.
func (n need) check(env *Env, sel []uint16, args []*vec.Vec) error {
	if n == nil || !anyLarge(sel, args) {
		return nil
	}
	a := make([]types.Datum, len(args))
	for _, i := range sel {
		for k, v := range args {
			a[k] = v.Datum(int(i))
		}
		if all := n(a); all > unbooked {
			if err := env.Mem.Fits(int64(all)); err != nil {
				return err
			}
		}
	}
	return nil
}

// anyLarge says that an argument is of a size at which it matters what is made of it.
func anyLarge(sel []uint16, args []*vec.Vec) bool {
	const large = 256
	for _, v := range args {
		switch v.Type.Phys() {
		case types.PhysBytes:
			for _, i := range sel {
				if len(v.Bytes[i]) > large {
					return true
				}
			}
		case types.PhysArray:
			if len(sel) > 0 {
				return true
			}
		}
	}
	return false
}

// tally counts what a function makes while it is making it.
type tally struct {
	env    *Env
	n, ask int
}

// add counts n bytes more: 53200 where there is no memory for them, 54000 for a text
// over 1 GB, 57014 where the statement has been canceled.
func (t *tally) add(n int) error {
	if t.n += n; t.n < t.ask {
		return nil
	}
	t.ask = t.n + unbooked
	if err := t.env.canceled(); err != nil {
		return err
	}
	if t.n > MaxText {
		return TooLarge(t.n-n, n)
	}
	return t.env.Mem.Fits(int64(t.n + t.n/4)) // the buffer grows by a quarter
}
