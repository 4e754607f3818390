package vec

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// AppendText appends slot i as Postgres prints it. The slot must not be NULL.
// It allocates nothing but dst's growth.
func AppendText(dst []byte, v *Vec, i int, env *types.IOEnv) []byte {
	switch v.Type.Kind {
	case types.Int2, types.Int4, types.Int8:
		return strconv.AppendInt(dst, v.Ints[i], 10)
	case types.Text, types.Varchar, types.Name, types.JSON, types.JSONB:
		return append(dst, v.Bytes[i]...)
	case types.Float8:
		return types.AppendFloat8(dst, v.Floats[i], env)
	case types.Numeric:
		return numeric.Append(dst, &v.Decimals[i])
	}
	return types.AppendText(dst, v.Type, v.value(i), env)
}
