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

// DecodePrefix decodes the first n columns of a logical key, of which there is no more than those. cut
// says that its last bytes may be missing: of the columns then those that surely are whole. Bytes may
// alias logical.
func (s *KeySchema) DecodePrefix(logical []byte, n int, cut bool) ([]types.Datum, error) {
	if cut {
		rest := logical
		for i := range n {
			_, after, ok := s.nextPart(i, rest)
			if !ok || len(after) == 0 && s.Columns[i].separated() {
				n = i
				break
			}
			rest = after
		}
	}
	return s.decodeColumns(s.salt(nil, s.firstBucket(), logical), n)
}
