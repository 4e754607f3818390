package tablets

import (
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// tabletBytes is about how large each tablet says it is.
const tabletBytes = 1 << 20

// sampleRowKeys lets the emulator say whether there is such a table, and
// answers with the split points and the table's end.
func (c *Cluster) sampleRowKeys(srv any, ss grpc.ServerStream, next grpc.StreamHandler) error {
	s := &sampleStream{ServerStream: ss}
	if err := next(srv, s); err != nil {
		return err
	}
	r := c.fortune([]byte("sample"))
	splits := c.Splits(s.table)
	fails := len(splits) + 1
	if one(r, c.options.Reads) {
		fails = r.IntN(len(splits) + 1)
	}
	offset := int64(0)
	for i := range len(splits) + 1 {
		if i == fails {
			c.count(func(n *Counts) { n.Broken++ })
			return moved(r)
		}
		offset += tabletBytes + int64(r.IntN(tabletBytes))
		resp := &bigtablepb.SampleRowKeysResponse{OffsetBytes: offset}
		if i < len(splits) {
			resp.RowKey = splits[i]
		}
		if err := ss.SendMsg(resp); err != nil {
			return err
		}
	}
	return nil
}

// sampleStream hears the request and keeps the emulator's answers back.
type sampleStream struct {
	grpc.ServerStream
	table string
}

func (s *sampleStream) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	req, ok := m.(*bigtablepb.SampleRowKeysRequest)
	if !ok {
		return status.Errorf(codes.Internal, "a %T is no request of SampleRowKeys", m)
	}
	s.table = req.TableName
	return nil
}

func (s *sampleStream) SendMsg(any) error { return nil }
