package infoschema

import "github.com/saltsql/saltsql/internal/types"

// Values of rows.

var null = types.NullDatum

func text(s string) types.Datum { return types.NewText(s) }

func num[N int | int64](v N) types.Datum { return types.NewInt(int64(v)) }

// optional is NULL for no text.
func optional(s string) types.Datum {
	if s == "" {
		return null
	}
	return text(s)
}
