package bigtable

import (
	"errors"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// The bytes of a ReadRowsResponse, as far as they are read. A tag is the
// field's number times 8, plus 2 for what has a length, else 0:
//
//	0a len CellChunk …                 chunks
//	12 len last_scanned_row_key
//
//	CellChunk:
//	0a len row_key
//	12 len ( 0a len family_name )      absent: as in the chunk before
//	1a len ( 0a len qualifier )        absent: as in the chunk before
//	20 varint timestamp_micros         absent: 0
//	2a len labels …
//	32 len value
//	38 varint value_size               of the whole cell; more of it follows
//	40 01 reset_row | 48 01 commit_row
//
// All other fields are stepped over, as protobuf asks for.
const (
	tagChunks      = 0x0a
	tagLastScanned = 0x12

	tagRowKey    = 0x0a
	tagFamily    = 0x12
	tagQualifier = 0x1a
	tagTimestamp = 0x20
	tagLabels    = 0x2a
	tagValue     = 0x32
	tagValueSize = 0x38
	tagReset     = 0x40
	tagCommit    = 0x48

	tagWrapped = 0x0a // the value of a wrapper message
)

var errWire = errors.New("malformed protobuf message")

// chunk is a CellChunk; its slices lie in the message.
type chunk struct {
	key, family, qualifier, value   []byte
	hasFamily, hasQualifier, labels bool
	reset, commit                   bool
	timestamp, valueSize            int64
}

// parse reads a CellChunk.
func (c *chunk) parse(b []byte) error {
	*c = chunk{}
	for i := 0; i < len(b); {
		tag := b[i]
		i++
		switch tag {
		case tagRowKey, tagFamily, tagQualifier, tagLabels, tagValue:
			n, j := length(b, i)
			if n < 0 || n > len(b)-j {
				return errWire
			}
			field := b[j : j+n : j+n]
			i = j + n
			ok := true
			switch tag {
			case tagRowKey:
				c.key = field
			case tagFamily:
				c.family, ok = unwrap(c.family, field)
				c.hasFamily = true
			case tagQualifier:
				c.qualifier, ok = unwrap(c.qualifier, field)
				c.hasQualifier = true
			case tagLabels:
				c.labels = true
			case tagValue:
				c.value = field
			}
			if !ok {
				return errWire
			}
		case tagTimestamp, tagValueSize, tagReset, tagCommit:
			v, n := protowire.ConsumeVarint(b[i:])
			if n < 0 {
				return errWire
			}
			i += n
			switch tag {
			case tagTimestamp:
				c.timestamp = int64(v)
			case tagValueSize:
				c.valueSize = int64(int32(v))
			case tagReset: // one of the two: the last one said
				c.reset, c.commit = v != 0, false
			case tagCommit:
				c.reset, c.commit = false, v != 0
			}
		default:
			n := unknown(b[i-1:])
			if n < 0 {
				return errWire
			}
			i += n - 1
		}
	}
	return nil
}

// length reads the length of a field at b[i], and says where it begins; -1
// where there is none.
func length(b []byte, i int) (n, j int) {
	if i < len(b) && b[i] < 0x80 {
		return int(b[i]), i + 1
	}
	return longLength(b, i)
}

func longLength(b []byte, i int) (n, j int) {
	v, w := protowire.ConsumeVarint(b[i:])
	if w < 0 || v > maxMessageBytes {
		return -1, i
	}
	return int(v), i + w
}

// unwrap reads a StringValue or BytesValue; what came before stays where the
// message says nothing.
func unwrap(before, b []byte) ([]byte, bool) {
	if len(b) >= 2 && b[0] == tagWrapped && int(b[1]) == len(b)-2 && b[1] < 0x80 {
		return b[2:], true
	}
	for len(b) > 0 {
		if b[0] != tagWrapped {
			n := unknown(b)
			if n < 0 {
				return nil, false
			}
			b = b[n:]
			continue
		}
		n, j := length(b, 1)
		if n < 0 || n > len(b)-j {
			return nil, false
		}
		before, b = b[j:j+n:j+n], b[j+n:]
	}
	return before, true
}

// unknown gives the size of the field at the beginning of b, tag included;
// below 0 where it is malformed.
func unknown(b []byte) int {
	_, _, n := protowire.ConsumeField(b)
	return n
}

// messageReader reads the fields of a message that lies in several buffers,
// as the transport has received it. What lies in one buffer is not copied.
type messageReader struct {
	at     []byte // what is left of the current buffer
	rest   mem.BufferSlice
	left   int    // bytes of the message from at on
	joined []byte // scratch: a field over the border of two buffers
}

func (r *messageReader) reset(m mem.BufferSlice) {
	r.at, r.rest, r.left = nil, m, m.Len()
}

// take gives the next n bytes, which the caller knows to be there. joined says
// that they are good until the next call only.
func (r *messageReader) take(n int) (b []byte, joined bool) {
	r.left -= n
	for len(r.at) == 0 && n > 0 {
		r.at, r.rest = r.rest[0].ReadOnlyData(), r.rest[1:]
	}
	if n <= len(r.at) {
		b, r.at = r.at[:n:n], r.at[n:]
		return b, false
	}
	if cap(r.joined) < n {
		r.joined = make([]byte, 0, max(n, 4<<10))
	}
	b = r.joined[:0]
	for len(b) < n {
		if len(r.at) == 0 {
			r.at, r.rest = r.rest[0].ReadOnlyData(), r.rest[1:]
			continue
		}
		m := min(n-len(b), len(r.at))
		b, r.at = append(b, r.at[:m]...), r.at[m:]
	}
	return b, true
}

func (r *messageReader) varint() (v uint64, ok bool) {
	for shift := uint(0); shift < 64; shift += 7 {
		if r.left == 0 {
			return 0, false
		}
		var c byte
		if len(r.at) > 0 {
			c = r.at[0]
			r.at = r.at[1:]
			r.left--
		} else {
			b, _ := r.take(1)
			c = b[0]
		}
		if v |= uint64(c&0x7f) << shift; c < 0x80 {
			return v, shift < 63 || c <= 1
		}
	}
	return 0, false
}

// field gives the number and bytes of the next field with a length, and steps
// over others.
func (r *messageReader) field() (tag uint64, b []byte, joined, ok bool) {
	for r.left > 0 {
		tag, ok = r.varint()
		if !ok || tag>>3 == 0 {
			return 0, nil, false, false
		}
		switch protowire.Type(tag & 7) {
		case protowire.BytesType:
			n, ok := r.varint()
			if !ok || n > uint64(r.left) {
				return 0, nil, false, false
			}
			b, joined = r.take(int(n))
			return tag, b, joined, true
		case protowire.VarintType:
			_, ok = r.varint()
		case protowire.Fixed32Type:
			ok = r.skip(4)
		case protowire.Fixed64Type:
			ok = r.skip(8)
		default: // groups, which the message does not have
			ok = false
		}
		if !ok {
			return 0, nil, false, false
		}
	}
	return 0, nil, false, true
}

func (r *messageReader) skip(n int) bool {
	if r.left < n {
		return false
	}
	r.take(n)
	return true
}
