package rowcodec

import "github.com/saltsql/saltsql/internal/types"

// PrefixEnd is how many bytes of a logical key its first n columns take, with the separator that stands
// behind them; below 0 where the bytes are no key.
func (s *KeySchema) PrefixEnd(logical []byte, n int) int {
	rest := logical
	for i := range n {
		_, after, ok := s.nextPart(i, rest)
		if !ok {
			return -1
		}
		rest = after
	}
	return len(logical) - len(rest)
}

// DecodePrefix decodes the first columns of a logical key, n at most: as many as its bytes are surely
// whole values of, since they may be the beginning of a key, or where a span begins. cut says that bytes
// are missing at its end. Values may alias logical.
func (s *KeySchema) DecodePrefix(logical []byte, n int, cut bool) []types.Datum {
	rest := logical
	for i := range n {
		_, after, ok := s.nextPart(i, rest)
		if !ok || cut && len(after) == 0 && s.Columns[i].separated() {
			n = i
			break
		}
		rest = after
	}
	whole := logical[:len(logical)-len(rest)]
	for ; n > 0; n-- {
		if vals, err := s.decodeColumns(s.salt(nil, s.firstBucket(), whole), n); err == nil {
			return vals
		}
	}
	return nil
}
