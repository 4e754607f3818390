package rowcodec

import (
	"bytes"
)

// nextPart takes column i off the front of rest: its stored bytes without
// separator, and what follows. ok is false where the bytes are no key.
//
//	fixed width   that many bytes
//	ASC           up to its separator, or all that is left
//	DESC          up to its separator, which is always there
func (s *KeySchema) nextPart(i int, rest []byte) (part keyPart, after []byte, ok bool) {
	c := &s.Columns[i]
	last := i == len(s.Columns)-1
	if c.Form != nil {
		return c.Form.Next(rest)
	}
	if len(rest) == 0 { // trimmed
		if c.Nullable {
			return nil, nil, true
		}
		return keyPart(emptyPart), nil, !c.Desc && c.FixedWidth() == 0 && c.Type != Decimal
	}
	if w := c.FixedWidth(); w > 0 {
		if len(rest) < w {
			return nil, nil, false
		}
		return keyPart(rest[:w:w]), rest[w:], true
	}
	end, sep := len(rest), 0
	switch {
	case c.Type == VarbinaryEncoded:
		var found bool
		if c.Desc && c.Nullable && len(rest) > 1 && rest[0] == 0x00 && rest[1] == 0x01 {
			return nil, rest[2:], true
		}
		if end, found, ok = escapedEnd(rest, c.Desc); !ok || (c.Desc && !found) {
			return nil, nil, false
		}
		if found {
			sep = 2
		}
	case c.Desc:
		if c.Nullable && rest[0] == 0 && !last {
			return nil, rest[1:], true
		}
		if end = bytes.IndexByte(rest, 0xFF); end < 0 {
			return nil, nil, false
		}
		sep = 1
	case !last:
		if j := bytes.IndexByte(rest, 0); j >= 0 {
			end, sep = j, 1
		}
	}
	part, after = keyPart(rest[:end:end]), rest[end+sep:]
	if end == 0 && c.Nullable && !c.Desc {
		part = nil
	}
	return part, after, end > 0 || c.Type != Decimal || part == nil
}

// emptyPart is a value of no bytes, which is not NULL.
var emptyPart = []byte{}

// escapedEnd finds where an escaped value ends: at 00 01 (DESC: FF FE), or at the
// end of b, where found is false. ok is false where a 00 is followed by neither
// 01 nor FF.
func escapedEnd(b []byte, desc bool) (end int, found, ok bool) {
	zero, sep, esc := byte(0x00), byte(0x01), byte(0xFF)
	if desc {
		zero, sep, esc = 0xFF, 0xFE, 0x00
	}
	for i := 0; i < len(b); i++ {
		if b[i] != zero {
			continue
		}
		switch {
		case i+1 < len(b) && b[i+1] == sep:
			return i, true, true
		case i+1 < len(b) && b[i+1] == esc:
			i++
		default:
			return 0, false, false
		}
	}
	return len(b), false, true
}

// split takes a logical key apart and appends its parts to dst.
func (s *KeySchema) split(logical []byte, dst []keyPart) ([]keyPart, error) {
	rest := logical
	for i := range s.Columns {
		p, after, ok := s.nextPart(i, rest)
		if !ok {
			return dst, s.corruptKey(i, logical)
		}
		dst, rest = append(dst, p), after
	}
	if len(rest) > 0 {
		return dst, s.corruptKey(len(s.Columns)-1, logical)
	}
	return dst, nil
}

func (s *KeySchema) corruptKey(column int, key []byte) error {
	c := &s.Columns[column]
	return corrupt(s.Table, c.Name, "The row key %X does not have a column of type %s there.", clip(key), c.Type)
}
