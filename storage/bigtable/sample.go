package bigtable

import (
	"bytes"
	"context"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/storage"
)

// SampleRowKeys answers with keys in order, and how many bytes lie below each:
//
//	"c" 1,000   "f" 3,000   "" 3,500     [ ,c) 1,000  [c,f) 2,000  [f, ) 500
//
// The client library keeps the keys only, so that the answers are read on
// their way to it.
type keySample struct {
	keys    [][]byte
	offsets []int64
}

type keySampleKey struct{}

// interceptSample lets a keySample in the context see the answers. A stream
// that is tried again begins anew.
func interceptSample(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := next(ctx, desc, conn, method, opts...)
	sample, _ := ctx.Value(keySampleKey{}).(*keySample)
	if err != nil || sample == nil {
		return stream, err
	}
	*sample = keySample{}
	return &sampleStream{stream, sample}, nil
}

type sampleStream struct {
	grpc.ClientStream
	to *keySample
}

func (s *sampleStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if res, ok := m.(*bigtablepb.SampleRowKeysResponse); ok && err == nil {
		s.to.keys = append(s.to.keys, bytes.Clone(res.RowKey))
		s.to.offsets = append(s.to.offsets, res.OffsetBytes)
	}
	return err
}

// Tablets implements storage.Table: the pieces that the service cuts a table
// into for reading, which end where tablets do, among other places.
func (t *table) Tablets(ctx context.Context, span storage.Span) ([]storage.Tablet, error) {
	const op = storage.OpTablets
	if err := storage.CheckSpan(op, t.name, span); err != nil {
		return nil, err
	}
	c, err := t.begin(ctx, op)
	if err != nil {
		return nil, err
	}
	defer c.end()
	sample := &keySample{}
	keys, err := t.t.SampleRowKeys(context.WithValue(c.Context, keySampleKey{}, sample))
	if err != nil {
		return nil, c.readError(err)
	}
	if len(sample.keys) == 0 { // a connection without the interceptor
		for _, k := range keys {
			sample.keys, sample.offsets = append(sample.keys, []byte(k)), append(sample.offsets, -1)
		}
	}
	return sample.tablets(span), nil
}

// tablets cuts span. What a piece at its ends has of a sampled one is not known:
// it counts as all of it.
func (s *keySample) tablets(span storage.Span) []storage.Tablet {
	var splits [][]byte // ascending, as the service sends them
	for _, k := range s.keys {
		if len(k) > 0 && (len(splits) == 0 || bytes.Compare(splits[len(splits)-1], k) < 0) {
			splits = append(splits, k)
		}
	}
	i, below := 0, int64(0) // the bytes below keys[i-1]
	return storage.SplitSpan(span, splits, func(p storage.Span) int64 {
		for i < len(s.keys) && len(s.keys[i]) > 0 && bytes.Compare(s.keys[i], p.Start) <= 0 {
			below = s.offsets[i]
			i++
		}
		if i == len(s.keys) { // behind the last key sampled
			return -1
		}
		if s.offsets[i] < below || s.offsets[i] < 0 {
			return -1
		}
		return s.offsets[i] - below
	})
}

// Split implements storage.Table: as the service cuts it.
func (t *table) Split(ctx context.Context, span storage.Span, most int) ([]storage.Span, error) {
	if err := storage.CheckSample(storage.OpTablets, t.name, span, most); err != nil {
		return nil, err
	}
	tablets, err := t.Tablets(ctx, span)
	if err != nil {
		return nil, err
	}
	return storage.SplitTablets(span, tablets, most), nil
}

// Sample implements storage.Sampler. The service chooses the pieces; neighbours
// are joined where there are more than twice as many as asked for.
func (t *table) Sample(ctx context.Context, span storage.Span, most int) (*storage.TableSample, error) {
	if err := storage.CheckSample(storage.OpSample, t.name, span, most); err != nil {
		return nil, err
	}
	tablets, err := t.Tablets(ctx, span)
	if err != nil {
		return nil, err
	}
	out := &storage.TableSample{Calls: 1}
	run := max(len(tablets)/most, 1)
	for i := 0; i < len(tablets); i += run {
		piece := storage.SamplePiece{Span: tablets[i].Span, Rows: -1}
		for _, tb := range tablets[i:min(i+run, len(tablets))] {
			piece.Span.End = tb.Span.End
			if tb.Bytes < 0 || piece.Bytes < 0 {
				piece.Bytes = -1
				continue
			}
			piece.Bytes += tb.Bytes
		}
		out.Pieces = append(out.Pieces, piece)
	}
	return out, nil
}
