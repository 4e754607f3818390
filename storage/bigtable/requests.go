package bigtable

import (
	"context"
	"path"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// RequestBounds are the upper bounds of the times by which Requests counts.
var RequestBounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 10 * time.Second, time.Minute,
}

// Requests are what a store has asked the service by one method since it was opened. Each
// attempt of a call is a request.
type Requests struct {
	Method string // of gRPC, as "ReadRows"
	// Codes are the requests that have ended, by gRPC's status.
	Codes map[codes.Code]int64
	// Within are those that took at most the RequestBounds. A stream takes until its end.
	Within         [len(RequestBounds)]uint64
	Time           time.Duration
	Sent, Received int64 // bytes of messages, as they go over the network
}

// requestCounters are Requests that are counted. It is a stats.Handler.
type requestCounters struct{ byMethod sync.Map } // *methodCounters by their method's full name

type methodCounters struct {
	codes          [codes.Unauthenticated + 1]atomic.Int64
	at             [len(RequestBounds) + 1]atomic.Int64 // by the first bound that is not below
	nanos          atomic.Int64
	sent, received atomic.Int64
}

type methodKey struct{}

func (c *requestCounters) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	m, ok := c.byMethod.Load(info.FullMethodName)
	if !ok {
		m, _ = c.byMethod.LoadOrStore(info.FullMethodName, new(methodCounters))
	}
	return context.WithValue(ctx, methodKey{}, m)
}

func (c *requestCounters) HandleRPC(ctx context.Context, s stats.RPCStats) {
	m, _ := ctx.Value(methodKey{}).(*methodCounters)
	if m == nil {
		return
	}
	switch s := s.(type) {
	case *stats.OutPayload:
		m.sent.Add(int64(s.WireLength))
	case *stats.InPayload:
		m.received.Add(int64(s.WireLength))
	case *stats.End:
		m.codes[min(status.Code(s.Error), codes.Unauthenticated)].Add(1)
		took := s.EndTime.Sub(s.BeginTime)
		m.nanos.Add(int64(took))
		m.at[sort.Search(len(RequestBounds), func(i int) bool { return took <= RequestBounds[i] })].Add(1)
	}
}

func (c *requestCounters) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return ctx
}

func (c *requestCounters) HandleConn(context.Context, stats.ConnStats) {}

// Requests are what the store has asked the service, by method.
func (s *Store) Requests() []Requests {
	var list []Requests
	s.requests.byMethod.Range(func(name, counters any) bool {
		m, r := counters.(*methodCounters), Requests{Method: path.Base(name.(string)), Codes: map[codes.Code]int64{}}
		for code := range m.codes {
			if n := m.codes[code].Load(); n > 0 {
				r.Codes[codes.Code(code)] = n
			}
		}
		below := uint64(0)
		for i := range r.Within {
			below += uint64(m.at[i].Load())
			r.Within[i] = below
		}
		r.Time, r.Sent, r.Received = time.Duration(m.nanos.Load()), m.sent.Load(), m.received.Load()
		list = append(list, r)
		return true
	})
	sort.Slice(list, func(i, j int) bool { return list[i].Method < list[j].Method })
	return list
}
