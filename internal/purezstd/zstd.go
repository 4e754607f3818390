package zstd

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Ctx compresses and decompresses whole buffers (RFC 8878). Several goroutines may share one.
type Ctx interface {
	// CompressLevel appends nothing: it compresses src at one of Zstandard's levels, 1 to 22, and
	// gives the result in dst if that has CompressBound(len(src)) bytes, else in a new buffer.
	CompressLevel(dst, src []byte, level int) ([]byte, error)
	// DecompressInto decompresses src into dst and gives the number of bytes; it is an error if
	// they are more than dst has.
	DecompressInto(dst, src []byte) (int, error)
}

// NewCtx is cheap: encoders and the decoder are shared by all.
func NewCtx() Ctx { return ctx{} }

type ctx struct{}

var (
	encoders sync.Map // level of the library -> *zstd.Encoder
	decoder  = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil) })
)

// CompressBound is the most bytes that srcSize bytes take when they are compressed: a frame's
// header and checksum, and three bytes for each block of 128 KiB.
func CompressBound(srcSize int) int { return srcSize + srcSize>>10 + 64 }

func encoder(level int) (*zstd.Encoder, error) {
	l := zstd.EncoderLevelFromZstd(level)
	if e, ok := encoders.Load(l); ok {
		return e.(*zstd.Encoder), nil
	}
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l))
	if err != nil {
		return nil, err
	}
	kept, _ := encoders.LoadOrStore(l, e)
	return kept.(*zstd.Encoder), nil
}

func (ctx) CompressLevel(dst, src []byte, level int) ([]byte, error) {
	e, err := encoder(level)
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(src, dst[:0]), nil
}

func (ctx) DecompressInto(dst, src []byte) (int, error) {
	d, err := decoder()
	if err != nil {
		return 0, err
	}
	out, err := d.DecodeAll(src, dst[:0])
	if err == nil && len(out) > len(dst) {
		err = fmt.Errorf("zstd: %d bytes do not fit into %d", len(out), len(dst))
	}
	if err != nil {
		return 0, err
	}
	return copy(dst, out), nil // nothing moves if they are in it already
}
