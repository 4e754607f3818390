package bigtable

import (
	"bytes"
	"context"
	"io"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

	"github.com/saltsql/saltsql/internal/poison"
)

// rowRead is one request for rows, over as many streams as it takes. The
// goroutine that is in readRows uses it.
type rowRead struct {
	chunkDecoder
	filter *bigtablepb.RowFilter
	// rows gives what is left to read behind the decoder's last row; nil is nothing.
	rows func() *bigtablepb.RowSet
	// limit gives the rows still wanted; nil where the service is not told.
	limit func() int64
}

// readRows decodes rows from the wire's bytes, since protobuf objects would be
// most of a read's cost. A stream that breaks is resumed behind its last row.
//
//	gRPC ── bytes ── wireCodec ── chunkDecoder ── rowFiller
//
// What is wrong with rows that have come is in fill.err, and no reason to ask again.
func (t *table) readRows(c *call, ctx context.Context, r *rowRead) error {
	req := &bigtablepb.ReadRowsRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile, Filter: r.filter, Reversed: r.reverse}
	return c.repeat(ctx, t.md, func(ctx context.Context, opts []grpc.CallOption) error {
		if req.Rows = r.rows(); req.Rows == nil {
			return nil
		}
		if r.limit != nil {
			req.RowsLimit = r.limit()
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // a stream that is left early
		stream, err := t.s.data.ReadRows(ctx, req, append(opts, grpc.ForceCodecV2(wireCodec{}))...)
		if err != nil {
			return err
		}
		return r.receive(stream)
	})
}

// receive reads a stream to its end, or until no more rows are wanted.
func (r *rowRead) receive(stream grpc.ClientStream) error {
	r.begin()
	in := wireMessage{decoder: &r.chunkDecoder}
	for !r.stopped {
		switch err := stream.RecvMsg(&in); {
		case in.err != nil:
			r.fill.err = in.err
			return nil
		case err == io.EOF:
			r.fill.err = r.end()
			return nil
		case err != nil:
			return err
		}
	}
	if r.limit != nil {
		// The service ends the stream by itself, so do not reset it: many
		// resets look like an attack.
		_ = stream.RecvMsg(&in)
	}
	return nil
}

// wireMessage is what a stream is received into.
type wireMessage struct {
	decoder *chunkDecoder
	err     error
}

// wireCodec decodes responses while gRPC still owns their bytes, so that they
// are not copied before it is known which are wanted.
type wireCodec struct{}

func (wireCodec) Name() string { return proto.Name }

func (wireCodec) Marshal(v any) (mem.BufferSlice, error) {
	return encoding.GetCodecV2(proto.Name).Marshal(v)
}

func (wireCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m := v.(*wireMessage)
	m.decoder.message()
	if poison.On {
		m.err = readOnce(m.decoder, data)
		return nil
	}
	m.err = m.decoder.read(data)
	return nil
}

// readOnce has the decoder read copies of the buffers, which are overwritten
// when it is done, as gRPC does when it receives the next message into them.
func readOnce(d *chunkDecoder, data mem.BufferSlice) error {
	copies := make(mem.BufferSlice, len(data))
	for i, b := range data {
		copies[i] = mem.SliceBuffer(bytes.Clone(b.ReadOnlyData()))
	}
	err := d.read(copies)
	for _, b := range copies {
		poison.Bytes(b.ReadOnlyData())
	}
	return err
}
