package bigtable

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

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
	began, at := time.Now(), &attempts{md: t.md}
	var doubted []*rowEntry
	for pause := retryFirst; len(entries) > 0; pause = min(2*pause, retryMost) {
		r, err := c.once(at, entries, t.write)
		if err != nil {
			fail(entries, err)
			break
		}
		doubted = append(doubted, r.doubted...)
		if entries = r.again; len(entries) == 0 || r.unsent && time.Since(began) > unreachableAfter {
			break
		}
		if c.sleep(c, max(r.wait, pause/2+rand.N(pause))) != nil {
			break // what the service said last stands
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
// CodeDeadlineExceeded at once. ctx is the call's, or comes from it.
func (c *call) sleep(ctx context.Context, d time.Duration) error {
	if deadline, ok := c.Deadline(); ok && time.Until(deadline) < d {
		return errNoTime(c)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
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
		if e.err == nil && !errors.As(err, &e.err) {
			e.err = &storage.Error{Op: storage.OpMutate, Cause: err}
		}
	}
}
