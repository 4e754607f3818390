package wire

import "github.com/saltsql/saltsql/internal/sqlerr"

// readFormats takes a list of format codes, which it leaves as big-endian bytes.
func readFormats(m *message) (formats, error) {
	f := formats(m.bytes(2 * int(uint16(m.int16()))))
	if m.err != nil {
		return nil, m.err
	}
	for i := 0; i < len(f); i += 2 {
		if code := int(f[i])<<8 | int(f[i+1]); code > 1 {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "unsupported format code: %d", int16(code))
		}
	}
	return f, nil
}

// formats are the format codes of columns or parameters: none means text for all,
// one is for all.
type formats []byte

func (f formats) binary(i int) bool {
	switch len(f) {
	case 0:
		return false
	case 2:
		return f[1] == 1
	}
	return f[2*i+1] == 1
}
