package bigtable

import (
	"context"
	"io"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// sent is what became of the entries of one write request that are neither
// written nor refused for good.
type sent struct {
	again   []*rowEntry // nothing happened: may be sent again
	doubted []*rowEntry // CodeAmbiguous
	unsent  bool        // no connection took the request
	wait    time.Duration
}

// answers takes what the service says of one write request.
type answers struct {
	c       *call
	entries []*rowEntry
	fence   storage.Fence
	some    bool // of the entries are answered
	rate    *bigtablepb.RateLimitInfo
}

// note takes what was said of entry i, unless it came when the fence did not hold
// any more: what was done may have been done too late.
func (a *answers) note(i int, st *status.Status) {
	if _, held := a.fence(); !held || i < 0 || i >= len(a.entries) {
		return
	}
	e := a.entries[i]
	e.err, e.answered, a.some = nil, true, true
	if st.Code() != codes.OK {
		e.err = a.c.classify(st.Err())
	}
}

var errNoWord = status.Error(codes.Unavailable, "the answer has no word about this row, or came when the time for this write was over")

// once makes one write request within the bounds of the store's writes and the fence of the
// call: the service hears how much time is left, and does nothing later. What became of each
// entry is in its err. An error says that the call was over before.
func (c *call) once(at *attempts, entries []*rowEntry, request func(context.Context, *answers, []grpc.CallOption) error) (s sent, err error) {
	size := 0
	for _, e := range entries {
		size += e.size
		e.answered = false
	}
	tk, err := c.s.flow.acquire(c, int64(size))
	if err != nil {
		return s, c.over()
	}
	throttled := false
	defer func() { c.s.flow.release(tk, throttled, s.wait) }()
	if err := c.fenced(); err != nil {
		return s, err
	}
	a := &answers{c: c, entries: entries, fence: storage.FenceOf(c)}
	until, _ := a.fence() // the call's own deadline at the latest
	ctx, cancel := context.WithDeadline(c, until)
	defer cancel()
	ctx, opts := at.next(ctx)
	var to peer.Peer // is set where a connection took the request
	err = request(ctx, a, append(opts, grpc.Peer(&to)))
	if s.unsent = err != nil && to.Addr == nil && to.AuthInfo == nil; err == nil {
		err = errNoWord
	}
	for _, e := range entries {
		if !e.answered {
			e.err = c.classify(err)
		}
		if e.err == nil {
			continue
		}
		refused := e.err.Code == storage.CodeThrottled
		throttled, s.wait = throttled || refused, max(s.wait, e.err.RetryAfter)
		switch {
		case s.unsent || refused && (e.answered || !a.some):
			s.again = append(s.again, e)
		case refused || inDoubt(e.err):
			e.err.Code = storage.CodeAmbiguous
			s.doubted = append(s.doubted, e)
		}
	}
	if a.rate != nil {
		c.s.flow.scale(a.rate.Factor, a.rate.Period.AsDuration())
	}
	return s, nil
}

// write makes a request that writes entries, and hears the answer to its end.
func (t *table) write(ctx context.Context, a *answers, opts []grpc.CallOption) error {
	if len(a.entries) == 1 {
		e := a.entries[0]
		_, err := t.s.data.MutateRow(ctx, &bigtablepb.MutateRowRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile,
			RowKey: []byte(e.key), Mutations: mutations(e.muts)}, opts...)
		if err == nil {
			a.note(0, status.New(codes.OK, ""))
		}
		return err
	}
	req := &bigtablepb.MutateRowsRequest{TableName: t.path, AppProfileId: t.s.config.AppProfile, Entries: make([]*bigtablepb.MutateRowsRequest_Entry, len(a.entries))}
	for i, e := range a.entries {
		req.Entries[i] = &bigtablepb.MutateRowsRequest_Entry{RowKey: []byte(e.key), Mutations: mutations(e.muts)}
	}
	stream, err := t.s.data.MutateRows(ctx, req, opts...)
	if err != nil {
		return err
	}
	return receive(stream.Recv, func(m *bigtablepb.MutateRowsResponse) {
		for _, e := range m.Entries {
			a.note(int(e.Index), status.FromProto(e.Status))
		}
		if m.RateLimitInfo != nil {
			a.rate = m.RateLimitInfo
		}
	})
}

// receive takes the messages of a stream to its end.
func receive[M any](next func() (M, error), take func(M)) error {
	for {
		m, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		take(m)
	}
}
