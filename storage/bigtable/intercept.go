package bigtable

import (
	"bytes"
	"context"
	"io"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/internal/poison"
)

// The client library spends most of a read on protobuf objects and a map for
// each row. A read that carries a wireRead in its context is decoded here
// instead, below the library, which keeps what it is good for: connections,
// credentials, retries and where to resume.
//
//	Table.ReadRows ── empty response, last row ── wireStream ── bytes ── gRPC
//	                                                  │
//	                                             chunkDecoder ── rowFiller
//
// Where the interceptor is missing (a connection that somebody else has
// dialled), the library sees the rows and gives them to its callback as ever:
// who reads must be ready to take them there too.

type wireReadKey struct{}

// wireRead is one read, over all its streams. It is used by the goroutine that
// is in Table.ReadRows.
type wireRead struct {
	chunkDecoder
	// limit gives the rows still wanted, for a request that has a limit.
	limit func() int64
	// limited says that the service knows the limit.
	limited bool
}

func withWireRead(ctx context.Context, r *wireRead) context.Context {
	return context.WithValue(ctx, wireReadKey{}, r)
}

// interceptReads is the stream interceptor for every connection dialled here.
func interceptReads(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if method == bigtablepb.Bigtable_SampleRowKeys_FullMethodName {
		return interceptSample(ctx, desc, conn, method, next, opts...)
	}
	if p, _ := ctx.Value(probeKey{}).(*probe); p != nil {
		cs, err := next(ctx, desc, conn, method, opts...)
		if err != nil {
			p.err, err = err, errOnce
		}
		return cs, err
	}
	r, _ := ctx.Value(wireReadKey{}).(*wireRead)
	if r == nil || method != bigtablepb.Bigtable_ReadRows_FullMethodName {
		return next(ctx, desc, conn, method, opts...)
	}
	r.begin()
	s := &wireStream{r: r}
	var err error
	s.ClientStream, err = next(ctx, desc, conn, method, append(opts[:len(opts):len(opts)], grpc.ForceCodecV2(wireCodec{}))...)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// wireStream is what the library sees of a stream.
type wireStream struct {
	grpc.ClientStream
	r     *wireRead
	err   error // of the stream, for the next RecvMsg
	ended bool  // the stream below has ended
}

// SendMsg asks for no more rows than are still wanted: after a retry the
// library does not know how many have come.
func (s *wireStream) SendMsg(m any) error {
	if req, ok := m.(*bigtablepb.ReadRowsRequest); ok && req.RowsLimit > 0 && s.r.limit != nil {
		req.RowsLimit = s.r.limit()
	}
	return s.ClientStream.SendMsg(m)
}

// RecvMsg receives the whole stream into the decoder, then tells the library
// where it has got to, then how it has ended.
func (s *wireStream) RecvMsg(m any) error {
	res, ok := m.(*bigtablepb.ReadRowsResponse)
	if !ok {
		return status.Errorf(codes.Internal, "a %T is not a response of ReadRows", m)
	}
	if s.err == nil {
		s.err = s.receive()
	}
	if !s.r.moved {
		return s.err
	}
	s.r.moved = false
	res.LastScannedRowKey = append([]byte(nil), s.r.last...)
	return nil
}

// receive reads the stream to its end, or until no more rows are wanted. What
// is wrong with the rows is in fill.err and none of the library's business: it
// might take it for a reason to try again.
func (s *wireStream) receive() error {
	r := s.r
	in := wireMessage{decoder: &r.chunkDecoder}
	for !r.stopped {
		err := s.ClientStream.RecvMsg(&in)
		if err == nil && in.err == nil {
			continue
		}
		s.ended = err != nil
		switch {
		case in.err != nil:
			r.fill.err = in.err
		case err == io.EOF:
			r.fill.err = r.end()
		default:
			return err
		}
		return io.EOF
	}
	if r.limited {
		// The service ends the stream by itself, so do not reset it: many
		// resets look like an attack.
		s.ended = s.ClientStream.RecvMsg(&in) != nil
	}
	return io.EOF
}

// Trailer implements grpc.ClientStream, which allows it at the end only: a
// stream that is left early has none.
func (s *wireStream) Trailer() metadata.MD {
	if !s.ended {
		return nil
	}
	return s.ClientStream.Trailer()
}

// wireMessage is what the stream below receives into.
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
	m, ok := v.(*wireMessage)
	if !ok {
		return encoding.GetCodecV2(proto.Name).Unmarshal(data, v)
	}
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
