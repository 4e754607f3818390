package bigtable

import (
	"context"
	"encoding/base64"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/saltsql/saltsql/storage"
)

// attempt is one write request as the service answers it. The client library
// repeats requests on its own terms and tells only the last error, by which
// what was written cannot be known; so a request that carries an attempt in
// its context is seen by interceptors, which note each answer and let the
// library believe that there is nothing to repeat.
//
//	send ── Table.Apply, ApplyBulk ── writeUnary, writeStream ── service
//	  └── attempt: entries, err  <──────────┘
type attempt struct {
	seen    bool             // an interceptor was there
	sent    atomic.Bool      // a part of the request was handed to a connection
	err     error            // of the request; nil where the stream came to its end
	entries []*status.Status // per entry; nil is no answer
	rate    *bigtablepb.RateLimitInfo
	fence   storage.Fence
}

func newAttempt(entries int) *attempt {
	return &attempt{entries: make([]*status.Status, entries)}
}

type attemptKey struct{}

func (a *attempt) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// errOnce keeps the library from repeating a request.
var errOnce = status.Error(codes.FailedPrecondition, "not to be repeated by the client library")

// begin takes the first try only.
func (a *attempt) begin() error {
	if a.seen {
		return errOnce
	}
	a.seen = true
	return nil
}

func (a *attempt) fail(err error) error {
	if err != nil {
		a.err = err
		return errOnce
	}
	return nil
}

// unsent says that nothing of the request has left this process, so that
// nothing can have come of it.
func (a *attempt) unsent() bool { return a.seen && !a.sent.Load() }

// sentHandler notes of an attempt that its request goes out.
type sentHandler struct{}

func (sentHandler) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if _, ok := s.(*stats.OutHeader); !ok {
		return
	}
	if a, _ := ctx.Value(attemptKey{}).(*attempt); a != nil {
		a.sent.Store(true)
	}
}

func (sentHandler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (sentHandler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (sentHandler) HandleConn(context.Context, stats.ConnStats)                       {}

// answer gives what was said of entry i.
func (a *attempt) answer(i int) (st *status.Status, answered bool) {
	if st := a.entries[i]; st != nil {
		return st, true
	}
	if a.err != nil {
		return status.Convert(a.err), false
	}
	return status.New(codes.Unavailable, "the answer has no word about this row"), false
}

// some says that a part of the entries was answered.
func (a *attempt) some() bool {
	return slices.ContainsFunc(a.entries, func(st *status.Status) bool { return st != nil })
}

// pushback is the longest wait that the answers ask for.
func (a *attempt) pushback() (d time.Duration) {
	if a.err != nil {
		d = retryAfter(status.Convert(a.err))
	}
	for _, st := range a.entries {
		if st != nil && st.Code() != codes.OK {
			d = max(d, retryAfter(st))
		}
	}
	return d
}

func writeUnary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	if a == nil {
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	if err := a.begin(); err != nil {
		return err
	}
	ctx, cancel, err := a.fenced(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	err = invoke(ctx, method, req, reply, cc, opts...)
	if err == nil {
		err = a.late()
	}
	if err == nil {
		a.entries[0] = status.New(codes.OK, "")
	}
	return a.fail(err)
}

func writeStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	if a == nil {
		return streamer(ctx, desc, cc, method, opts...)
	}
	if err := a.begin(); err != nil {
		return nil, err
	}
	ctx, cancel, err := a.fenced(ctx)
	if err != nil {
		return nil, err
	}
	cs, err := streamer(askForRates(ctx), desc, cc, method, opts...)
	if err != nil {
		cancel()
		return nil, a.fail(err)
	}
	return &writeAnswers{cs, a, cancel}, nil
}

// fenced bounds the attempt by the fence of its context. Where that does not hold nothing is
// sent. The service hears how much time is left, and does nothing later.
func (a *attempt) fenced(ctx context.Context) (context.Context, context.CancelFunc, error) {
	a.fence = storage.FenceOf(ctx)
	until, held := a.fence()
	if !held {
		return nil, nil, a.fail(status.Error(codes.Canceled, "the time for this write is over"))
	}
	if until.IsZero() {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	return ctx, cancel, nil
}

// late says of an answer that it came when the fence did not hold any more: what it says was
// done may have been done too late.
func (a *attempt) late() error {
	if _, held := a.fence(); held {
		return nil
	}
	return status.Error(codes.Canceled, "the time for this write was over when the answer came")
}

// writeAnswers notes what a MutateRows stream brings.
type writeAnswers struct {
	grpc.ClientStream
	a   *attempt
	end context.CancelFunc // of the stream's context
}

func (w *writeAnswers) RecvMsg(m any) error {
	err := w.ClientStream.RecvMsg(m)
	if err != nil {
		w.end()
	}
	if err == io.EOF {
		return err
	}
	if err == nil {
		err = w.a.late()
	}
	resp, ok := m.(*bigtablepb.MutateRowsResponse)
	if err != nil || !ok {
		return w.a.fail(err)
	}
	for _, e := range resp.Entries {
		if e.Index >= 0 && int(e.Index) < len(w.a.entries) {
			w.a.entries[e.Index] = status.FromProto(e.Status)
		}
		e.Status = &rpcstatus.Status{}
	}
	if resp.RateLimitInfo != nil {
		w.a.rate = resp.RateLimitInfo
	}
	return nil
}

// featuresHeader tells the service what a client understands.
const featuresHeader = "bigtable-features"

// askForRates adds to the library's features that RateLimitInfo is understood.
func askForRates(ctx context.Context) context.Context {
	md, ok := metadata.FromOutgoingContext(ctx)
	if !ok || len(md.Get(featuresHeader)) != 1 {
		return ctx
	}
	was := md.Get(featuresHeader)[0]
	encoding := base64.URLEncoding
	raw, err := encoding.DecodeString(was)
	if err != nil {
		encoding = base64.RawURLEncoding
		if raw, err = encoding.DecodeString(was); err != nil {
			return ctx
		}
	}
	var flags bigtablepb.FeatureFlags
	if proto.Unmarshal(raw, &flags) != nil {
		return ctx
	}
	flags.MutateRowsRateLimit, flags.MutateRowsRateLimit2 = true, true
	if raw, err = proto.Marshal(&flags); err != nil {
		return ctx
	}
	md = md.Copy()
	md.Set(featuresHeader, encoding.EncodeToString(raw))
	return metadata.NewOutgoingContext(ctx, md)
}
