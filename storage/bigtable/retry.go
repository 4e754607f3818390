package bigtable

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Pauses between the attempts of a read, as the service's own clients make them.
const (
	repeatFirst = 100 * time.Millisecond
	repeatMost  = 2 * time.Second
)

// repeat makes a request that changes nothing until it succeeds, fails for good, or the time of
// the call is over. ctx is the call's, or comes from it.
func (c *call) repeat(ctx context.Context, md metadata.MD, request func(context.Context, []grpc.CallOption) error) error {
	a := attempts{md: md}
	for pause := repeatFirst; ; {
		err := request(a.next(ctx))
		if err == nil || ctx.Err() != nil {
			return err
		}
		wait, told := retryAfter(status.Convert(err))
		switch {
		case told:
			pause = repeatFirst
		case passes(err):
			wait, pause = rand.N(pause), min(pause*6/5, repeatMost)
		default:
			return err
		}
		if err := c.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// passes says of the error of a read that another attempt may do better.
func passes(err error) bool {
	switch st := status.Convert(err); st.Code() {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded:
		return true
	case codes.Internal:
		return slices.ContainsFunc(brokenStreams[:], func(text string) bool { return strings.Contains(st.Message(), text) })
	}
	return false
}

// brokenStreams are in the messages of Internal errors by which a connection's end is told.
var brokenStreams = [...]string{
	"stream terminated by RST_STREAM", "Received Rst stream", "RST_STREAM closed stream", "Received RST_STREAM", "unexpected EOF",
}
