package builtin

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/types"
)

// needs are what functions ask for before they are called, by name: those that say more
// exactly themselves what they take, or take no more than their arguments, have none.
var needs = map[string]expr.Need{
	"lower": ofText(1), "upper": ofText(1), "initcap": ofText(1), "reverse": ofText(1), "reverse_labels": ofText(1),
	"translate":     ofText(4),
	"quote_literal": ofText(4), "quote_nullable": ofText(4), "quote_ident": ofText(4),
	"encode": ofText(4), "decode": ofText(2), "convert_from": ofText(2), "convert": ofText(2), "unistr": ofText(2), "normalize": ofText(20),
	"concat": ofAll, "concat_ws": ofWS, "||": ofAll, "overlay": ofAll,
	"array_cat": ofAll, "array_append": ofAll, "array_prepend": ofAll, "array_remove": ofAll,
	"format":          ofFormat,
	"to_char":         ofTemplate,
	"string_to_array": ofSplit, "string_to_table": ofSplit,
	"array_fill":          ofFill,
	"saltsql.set_element": ofElement, "saltsql.set_slice": ofElement, "saltsql.set_part": ofPart,
	"phoenix.array_fill": ofCopies, "phoenix.textcat": ofAll,
	"array_replace":   ofReplaced,
	"array_to_string": ofJoined,
	"row_to_json":     ofPrinted, "to_json": ofPrinted, "to_jsonb": ofPrinted, "array_to_json": ofPrinted,
	"json_build_array": ofPrinted, "jsonb_build_array": ofPrinted,
	"json_build_object": ofPrinted, "jsonb_build_object": ofPrinted,
}

func ofText(factor int) expr.Need {
	return func(a []types.Datum) int { return factor * len(a[0].Bytes) }
}

func ofAll(a []types.Datum) int {
	n := 0
	for i := range a {
		n += eval.ValueBytes(&a[i])
	}
	return n
}

func ofWS(a []types.Datum) int { return ofAll(a[1:]) + len(a)*len(a[0].Bytes) }

func ofFormat(a []types.Datum) int {
	most := 0
	for i := range a[1:] {
		most = max(most, eval.ValueBytes(&a[i+1]))
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
	return len(s) + parts*eval.ElemBytes
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
	return int(n) * (2*types.DatumSize + eval.ValueBytes(&a[0]))
}

// ofCopies is ofFill for an array of one dimension, of as many elements as the number says.
func ofCopies(a []types.Datum) int {
	if a[1].Null || a[1].Int > maxFilled {
		return 0 // refused as it is
	}
	return int(max(a[1].Int, 0)) * (2*types.DatumSize + eval.ValueBytes(&a[0]))
}

func ofReplaced(a []types.Datum) int {
	if a[0].Null {
		return 0
	}
	return eval.ValueBytes(&a[0]) + len(a[0].Array.Elems)*eval.ValueBytes(&a[2])
}

func ofJoined(a []types.Datum) int {
	if a[0].Null {
		return 0
	}
	n := len(a[1].Bytes)
	if len(a) > 2 {
		n += len(a[2].Bytes)
	}
	return 2*eval.ValueBytes(&a[0]) + len(a[0].Array.Elems)*n
}

func ofPrinted(a []types.Datum) int { return 3 * ofAll(a) }
