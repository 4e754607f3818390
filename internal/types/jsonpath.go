package types

import "github.com/saltsql/saltsql/internal/types/jsonpath"

// jsonpathVersion begins the binary format of a jsonpath; its text follows.
const jsonpathVersion = 1

// parseJSONPath keeps the text that reads back as the path.
func parseJSONPath(s string) (Datum, error) {
	if err := CheckUTF8(s); err != nil {
		return NullDatum, err
	}
	p, err := jsonpath.Parse(s)
	if err != nil {
		return NullDatum, err
	}
	return NewBytes(p.AppendStored(nil)), nil
}

// appendJSONPath prints a path that is kept as PostgreSQL does.
func appendJSONPath(dst, b []byte) []byte {
	p, err := jsonpath.Cached(b)
	if err != nil { // not what parseJSONPath gave
		return append(dst, b...)
	}
	return p.Append(dst)
}
