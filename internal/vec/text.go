package vec

import "github.com/saltsql/saltsql/internal/types"

// AppendText appends slot i as Postgres prints it. The slot must not be NULL.
// It allocates nothing but dst's growth for all but json and arrays.
func AppendText(dst []byte, v *Vec, i int, env *types.IOEnv) []byte {
	return types.AppendText(dst, v.Type, v.Datum(i), env)
}

// AppendBinary appends slot i in Postgres's binary format. The slot must not
// be NULL.
func AppendBinary(dst []byte, v *Vec, i int, env *types.IOEnv) ([]byte, error) {
	return types.AppendBinary(dst, v.Type, v.Datum(i), env)
}
