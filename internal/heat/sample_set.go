package heat

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"
)

// SampleSet holds the samples of a minute. Servers of different versions tell each other by these
// names.
type SampleSet struct {
	At   time.Time // when the minute begins
	Data []byte    // see appendSamples
}

// setBytes is what a SampleSet takes beside its data.
const setBytes = 48

// appendSamples writes samples, which it puts in the order of buckets and keys:
//
//	02                 the bucket
//	03 01 37           the key begins with 3 bytes of the key before, 1 more is 37
//	03                 the kind; with 80 the key is cut
//	d8 04              300 ms after the minute has begun, a varint
//	00 00 80 3f        the weight, a float32
func appendSamples(dst []byte, minute time.Time, list []Sample) []byte {
	sortSamples(list)
	var last []byte
	for i := range list {
		s := &list[i]
		same := sharedPrefix(last, s.Key)
		last = s.Key
		dst = append(dst, byte(s.Bucket), byte(same), byte(len(s.Key)-same))
		dst = append(dst, s.Key[same:]...)
		kind := byte(s.Kind)
		if s.Cut {
			kind |= 0x80
		}
		dst = binary.AppendVarint(append(dst, kind), s.At.Sub(minute).Milliseconds())
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(s.Weight)))
	}
	return dst
}

// sortSamples puts samples in the order of buckets and keys: of those of no bytes, which may be unknown,
// the cut ones come last.
func sortSamples(list []Sample) {
	slices.SortFunc(list, func(a, b Sample) int {
		c := cmp.Or(cmp.Compare(a.Bucket, b.Bucket), bytes.Compare(a.Key, b.Key))
		if c == 0 && a.Cut != b.Cut {
			c = 1
			if b.Cut {
				c = -1
			}
		}
		return c
	})
}

var errSamples = errors.New("heat: the samples of a minute are damaged")

// Samples gives the samples of the minute since a time.
func (s *SampleSet) Samples(since time.Time) ([]Sample, error) {
	var out []Sample
	var last []byte
	since = since.Truncate(time.Millisecond)
	for rest := s.Data; len(rest) > 0; {
		if len(rest) < 3 {
			return nil, errSamples
		}
		bucket, same, n := int(rest[0]), int(rest[1]), int(rest[2])
		if rest = rest[3:]; same > len(last) || same+n > KeyBytes || len(rest) < n+1 {
			return nil, errSamples
		}
		key := append(last[:same:same], rest[:n]...)
		kind := Kind(rest[n] &^ 0x80)
		cut := rest[n] != byte(kind)
		ms, m := binary.Varint(rest[n+1:])
		if rest = rest[n+1+max(m, 0):]; m <= 0 || kind >= kinds || len(rest) < 4 {
			return nil, errSamples
		}
		weight := float64(math.Float32frombits(binary.LittleEndian.Uint32(rest)))
		if rest = rest[4:]; !(weight >= 1) || math.IsInf(weight, 0) {
			return nil, errSamples
		}
		last = key
		if at := s.At.Add(time.Duration(ms) * time.Millisecond); !at.Before(since) {
			out = append(out, Sample{Key: key, Cut: cut, Kind: kind, Bucket: bucket, At: at, Weight: weight})
		}
	}
	return out, nil
}
