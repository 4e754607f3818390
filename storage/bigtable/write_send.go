package bigtable

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

const (
	retryFirst = 20 * time.Millisecond
	retryMost  = 2 * time.Second
	// unreachableAfter is for how long a request is tried that no connection
	// takes.
	unreachableAfter = 10 * time.Second
)

// send writes entries and leaves each one's error in it. What surely did not
// happen is sent again until the time of one call is over: rows that the
// service throttled, and requests that no connection took. A row of which it is
// not known what became is never sent again: others may have seen what the
// first sending did, and have changed or deleted it; and the first sending may
// be on its way still. It is looked for instead (settle).
func (t *table) send(ctx context.Context, entries []*rowEntry) {
	c, err := t.begin(ctx, storage.OpMutate)
	if err != nil {
		fail(entries, err)
		return
	}
	defer c.end()
	began := time.Now()
	var doubted []*rowEntry
	for pause := retryFirst; len(entries) > 0; pause = min(2*pause, retryMost) {
		r, err := t.request(c, entries)
		doubted = append(doubted, r.doubted...)
		entries = r.again
		if err == nil && len(entries) > 0 {
			if r.unsent && time.Since(began) > unreachableAfter {
				break
			}
			err = c.sleep(max(r.wait, pause/2+rand.N(pause)))
		}
		if err != nil {
			fail(entries, err)
			break
		}
	}
	t.settle(c, doubted)
}

// fenced is CodeCanceled where the fence of the call does not hold any more.
func (c *call) fenced() error {
	if _, held := storage.FenceOf(c)(); held {
		return nil
	}
	if c.Err() != nil {
		return c.over()
	}
	return storage.Errorf(storage.CodeCanceled, c.op, c.table, "the time for this write is over")
}

// sleep waits, unless the call's time is over before: then it gives
// CodeDeadlineExceeded at once.
func (c *call) sleep(d time.Duration) error {
	if deadline, ok := c.Deadline(); ok && time.Until(deadline) < d {
		return errNoTime(c)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.Done():
		return c.over()
	}
}

// over says why the call's context has ended.
func (c *call) over() error {
	switch {
	case c.caller.Err() != nil:
		return storage.CtxError(c.op, c.table, c.caller.Err())
	case c.s.life.Err() != nil:
		return errClosed(c.op, c.table)
	}
	return errNoTime(c)
}

// errNoTime says whose deadline a call has met: the caller's is over, or would
// be first.
func errNoTime(c *call) error {
	cause := errNoAnswer
	if theirs, ok := c.caller.Deadline(); ok {
		if ours, _ := c.Deadline(); !ours.Before(theirs) {
			cause = context.DeadlineExceeded
		}
	}
	return &storage.Error{Code: storage.CodeDeadlineExceeded, Op: c.op, Table: c.table, Cause: cause}
}

// fail ends entries that are not written: with what the service said of them
// last, or where they were never sent, with err.
func fail(entries []*rowEntry, err error) {
	for _, e := range entries {
		if e.err == nil {
			e.err = asStorage(err)
		}
	}
}

func asStorage(err error) *storage.Error {
	var e *storage.Error
	if errors.As(err, &e) {
		return e
	}
	return &storage.Error{Code: storage.CodeUnknown, Op: storage.OpMutate, Cause: err}
}

// sent is what became of the entries of one request that are not written and
// not refused for good.
type sent struct {
	again   []*rowEntry // nothing happened: to be sent again
	doubted []*rowEntry // CodeAmbiguous
	unsent  bool        // no connection took the request
	wait    time.Duration
}

// request makes one request; an error where the call is over before it.
func (t *table) request(c *call, entries []*rowEntry) (r sent, err error) {
	if err := c.fenced(); err != nil {
		r.again = entries
		return r, err
	}
	size := 0
	for _, e := range entries {
		size += e.size
	}
	tk, err := t.s.flow.acquire(c, int64(size))
	if err != nil {
		r.again = entries
		return r, c.over()
	}
	a := newAttempt(len(entries))
	err = t.call(a.context(c), a, entries)
	switch {
	case a.seen:
	case err != nil:
		a.err = err // no interceptor: the library's last word
	default:
		a.err = errForeign
	}
	r.unsent = a.unsent()
	throttled := false
	for i, e := range entries {
		st, answered := a.answer(i)
		e.err = nil
		if st.Code() == codes.OK {
			continue
		}
		e.err = c.classify(st.Err())
		throttled = throttled || e.err.Code == storage.CodeThrottled
		switch {
		case r.unsent:
			r.again = append(r.again, e)
		case e.err.Code == storage.CodeThrottled && (answered || !a.some()):
			r.again = append(r.again, e)
		case e.err.Code == storage.CodeThrottled || inDoubt(e.err):
			e.err.Code = storage.CodeAmbiguous
			r.doubted = append(r.doubted, e)
		}
	}
	r.wait = a.pushback()
	t.s.flow.release(tk, throttled, r.wait)
	if a.rate != nil {
		t.s.flow.scale(a.rate.Factor, a.rate.Period.AsDuration())
	}
	if len(r.again) > 0 && c.Err() != nil {
		return r, c.over()
	}
	return r, nil
}

// errForeign is for connections that somebody else has dialled: the library
// repeats requests on them unseen.
var errForeign = status.Error(codes.Unknown, "the connection to Bigtable was not dialled by this program: a write on it may be made twice")

// call hands a request to the library; the answers are in a.
func (t *table) call(ctx context.Context, a *attempt, entries []*rowEntry) error {
	if len(entries) == 1 {
		return t.t.Apply(ctx, entries[0].key, mutation(entries[0].muts))
	}
	keys := make([]string, len(entries))
	muts := make([]*bigtable.Mutation, len(entries))
	for i, e := range entries {
		keys[i], muts[i] = e.key, mutation(e.muts)
	}
	_, err := t.t.ApplyBulk(ctx, keys, muts)
	return err
}
