package rowcodec

import (
	"encoding/binary"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// FirstQualifier is the number of a table's first cell column; those below are
// reserved, 0 being the marker's.
const FirstQualifier = 11

// maxQualifier is the largest number by encoded bytes.
var maxQualifier = [5]int{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<31 - 1}

// Qualifier encodes column number n in encodedBytes (1 to 4) bytes; number 0 is
// the marker and always 4 bytes. 54011 where n does not fit, 22023 for other sizes.
//
//	11   1 byte 8B   2 bytes 80 0B   3 bytes 00 00 0B   4 bytes 00 00 00 0B
func Qualifier(n, encodedBytes int) ([]byte, error) {
	if encodedBytes < 1 || encodedBytes > 4 {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "COLUMN_ENCODED_BYTES must be between 0 and 4, not %d", encodedBytes)
	}
	if n == 0 {
		return make([]byte, 4), nil
	}
	if n < 0 || n > maxQualifier[encodedBytes] {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "column number %d exceeds %d, the most that COLUMN_ENCODED_BYTES = %d can count",
			n, maxQualifier[encodedBytes], encodedBytes)
	}
	switch encodedBytes {
	case 1:
		return []byte{byte(n) ^ 0x80}, nil
	case 2:
		return binary.BigEndian.AppendUint16(nil, uint16(n)^0x8000), nil
	case 3:
		return []byte{byte(n >> 16), byte(n >> 8), byte(n)}, nil
	}
	return binary.BigEndian.AppendUint32(nil, uint32(n)), nil
}

// ParseQualifier gives the number that q encodes: XX001 where its size is not encodedBytes.
func ParseQualifier(q []byte, encodedBytes int) (int, error) {
	if len(q) == 4 && binary.BigEndian.Uint32(q) == 0 {
		return 0, nil
	}
	if len(q) != encodedBytes || encodedBytes < 1 || encodedBytes > 4 {
		return 0, corrupt("", "", "%X is not a qualifier of %d bytes.", clip(q), encodedBytes)
	}
	n := 0
	for _, b := range q {
		n = n<<8 | int(b)
	}
	switch encodedBytes {
	case 1:
		n ^= 0x80
	case 2:
		n ^= 0x8000
	case 4:
		if n > maxQualifier[4] {
			return 0, corrupt("", "", "%X is over the largest qualifier.", q)
		}
	}
	return n, nil
}
