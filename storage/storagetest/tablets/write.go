package tablets

import (
	"context"
	"errors"
	"math/rand/v2"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func (c *Cluster) conditional(key []byte) error {
	r := c.fortune([]byte("conditional"), key)
	if !one(r, c.options.Conditional) {
		return nil
	}
	c.count(func(n *Counts) { n.Refused++ })
	return moved(r)
}

func (c *Cluster) mutateRow(ctx context.Context, m *bigtablepb.MutateRowRequest, next grpc.UnaryHandler) (any, error) {
	c.saw(m.TableName, m.RowKey)
	r := c.fortune([]byte("write"), m.RowKey)
	if !one(r, c.options.Writes) {
		return next(ctx, m)
	}
	if r.IntN(3) > 0 || !leavesCell(m.Mutations) {
		c.count(func(n *Counts) { n.Refused++ })
		return nil, busy(r)
	}
	if resp, err := next(ctx, m); err != nil {
		return resp, err
	}
	c.count(func(n *Counts) { n.Lost++ })
	return nil, moved(r)
}

// leavesCell says that one finds out whether mutations were applied.
func leavesCell(muts []*bigtablepb.Mutation) bool {
	return len(muts) > 0 && muts[len(muts)-1].GetSetCell() != nil
}

func (c *Cluster) mutateRows(srv any, ss grpc.ServerStream, next grpc.StreamHandler) error {
	s := &writeStream{ServerStream: ss, c: c}
	err := next(srv, s)
	switch {
	case errors.Is(err, errNothingLeft):
		return ss.SendMsg(s.merge(nil))
	case err == nil && s.lost != nil:
		return s.lost
	}
	return err
}

// writeStream keeps entries of a request from the emulator and answers for
// them.
type writeStream struct {
	grpc.ServerStream
	c       *Cluster
	entries int
	passed  []int64 // numbers of the entries that the emulator has
	refusal error   // of the others
	lost    error   // instead of the answer
}

var errNothingLeft = errors.New("no entry is left")

// RecvMsg implements grpc.ServerStream.
func (s *writeStream) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	req, ok := m.(*bigtablepb.MutateRowsRequest)
	if !ok {
		return status.Errorf(codes.Internal, "a %T is no request of MutateRows", m)
	}
	keys := make([][]byte, len(req.Entries))
	for i, e := range req.Entries {
		keys[i] = e.RowKey
	}
	s.c.saw(req.TableName, keys...)
	s.entries = len(keys)
	r := s.c.fortune(append([][]byte{[]byte("write")}, keys...)...)
	all := !one(r, s.c.options.Writes)
	loses := r.IntN(5) == 0
	for _, e := range req.Entries {
		loses = loses && leavesCell(e.Mutations)
	}
	if !all && loses {
		s.lost = moved(r)
		s.c.count(func(n *Counts) { n.Lost++ })
		all = true
	}
	gone := -1 // every tablet
	splits := s.c.Splits(req.TableName)
	if !all && r.IntN(5) > 0 {
		gone = tablet(splits, keys[r.IntN(len(keys))])
	}
	if !all {
		s.refusal = busy(r)
	}
	left := req.Entries[:0:0]
	for i, e := range req.Entries {
		if all || gone >= 0 && !s.refuses(r, splits, gone, e.RowKey) {
			s.passed = append(s.passed, int64(i))
			left = append(left, e)
		}
	}
	if req.Entries = left; len(left) == 0 {
		return errNothingLeft
	}
	return nil
}

// refuses says that the row is in the tablet that is gone, or, where all rows
// are in one tablet, in the part of it that has split off.
func (s *writeStream) refuses(r *rand.Rand, splits [][]byte, gone int, key []byte) bool {
	return tablet(splits, key) == gone && (s.entries == 1 || r.IntN(4) > 0)
}

// SendMsg implements grpc.ServerStream.
func (s *writeStream) SendMsg(m any) error {
	resp, ok := m.(*bigtablepb.MutateRowsResponse)
	if !ok {
		return status.Errorf(codes.Internal, "a %T is no response of MutateRows", m)
	}
	if s.lost != nil {
		return nil
	}
	return s.ServerStream.SendMsg(s.merge(resp))
}

// merge gives the answer about all entries: the emulator's, and the refusals.
func (s *writeStream) merge(resp *bigtablepb.MutateRowsResponse) *bigtablepb.MutateRowsResponse {
	out := &bigtablepb.MutateRowsResponse{}
	answered := map[int64]bool{}
	for _, e := range resp.GetEntries() {
		e.Index = s.passed[e.Index]
		answered[e.Index] = true
		out.Entries = append(out.Entries, e)
	}
	for i := range int64(s.entries) {
		if !answered[i] {
			s.c.count(func(n *Counts) { n.Refused++ })
			out.Entries = append(out.Entries, &bigtablepb.MutateRowsResponse_Entry{Index: i, Status: status.Convert(s.refusal).Proto()})
		}
	}
	return out
}
