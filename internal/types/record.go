package types

import "strings"

// NewRecord makes a row value.
func NewRecord(fields []T, values []Datum) Datum {
	return Datum{Array: &ArrayValue{Fields: fields, Elems: values}}
}

func (a *ArrayValue) field(i int) T {
	if i < len(a.Fields) {
		return a.Fields[i]
	}
	return Of(Text)
}

// appendRecord prints (a,b,): NULL is nothing, an empty text is "".
func appendRecord(dst []byte, a *ArrayValue, env *IOEnv) []byte {
	dst = append(dst, '(')
	for i, e := range a.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		if e.Null {
			continue
		}
		start := len(dst)
		dst = AppendText(dst, a.field(i), e, env)
		s := string(dst[start:])
		if s != "" && !strings.ContainsAny(s, "\"\\(), \t\n\r\v\f") {
			continue
		}
		dst = append(dst[:start], '"')
		for k := range len(s) {
			if s[k] == '"' || s[k] == '\\' {
				dst = append(dst, s[k])
			}
			dst = append(dst, s[k])
		}
		dst = append(dst, '"')
	}
	return append(dst, ')')
}

func appendRecordBinary(dst []byte, a *ArrayValue, env *IOEnv) ([]byte, error) {
	dst = be.AppendUint32(dst, uint32(len(a.Elems)))
	for i := range a.Elems {
		dst = be.AppendUint32(dst, a.field(i).OID())
		var err error
		if dst, err = appendElems(dst, a.Elems[i:i+1], func(int) T { return a.field(i) }, env); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
