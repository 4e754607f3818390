package bigtable

import (
	"bytes"
	"context"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/storage"
)

// keySample is an answer of SampleRowKeys: keys in order, and how many bytes lie below each:
//
//	"c" 1,000   "f" 3,000   "" 3,500     [ ,c) 1,000  [c,f) 2,000  [f, ) 500
type keySample struct {
	keys    [][]byte
	offsets []int64
}

// sampleKeys asks for a sample. A stream that breaks is begun anew.
func (t *table) sampleKeys(c *call) (sample keySample, err error) {
	req := &bigtablepb.SampleRowKeysRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile}
	err = c.repeat(c, t.md, func(ctx context.Context, opts []grpc.CallOption) error {
		sample = keySample{}
		stream, err := t.s.data.SampleRowKeys(ctx, req, opts...)
		if err != nil {
			return err
		}
		return receive(stream.Recv, func(m *bigtablepb.SampleRowKeysResponse) {
			sample.keys, sample.offsets = append(sample.keys, m.RowKey), append(sample.offsets, m.OffsetBytes)
		})
	})
	return sample, err
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
	sample, err := t.sampleKeys(c)
	if err != nil {
		return nil, c.readError(err)
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

// Sample implements storage.Table. The service chooses the pieces; neighbours
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
