package bigtable

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

const (
	retryFirst = 20 * time.Millisecond
	retryMost  = 2 * time.Second
)

// send writes entries and leaves each one's error in it. Rows that the service
// throttled, or of which it is not known what became, are sent again until the
// time of one call is over; the others are not. Sending again is safe since
// mutations carry their timestamps: the row is as if it was written once, at
// the last time. What makes a cell the latest is left out then: whoever wrote
// the row in between may have seen our first attempt.
func (t *table) send(ctx context.Context, entries []*rowEntry) {
	c, err := t.begin(ctx, storage.OpMutate)
	if err != nil {
		fail(entries, err)
		return
	}
	defer c.end()
	for pause := retryFirst; len(entries) > 0; pause = min(2*pause, retryMost) {
		var wait time.Duration
		if entries, wait, err = t.request(c, entries); err == nil && len(entries) > 0 {
			err = c.sleep(max(wait, pause/2+rand.N(pause)))
		}
		if err != nil {
			fail(entries, err)
			return
		}
	}
}

// sleep waits, unless the call's time is over before: then it gives
// CodeDeadlineExceeded at once.
func (c *call) sleep(d time.Duration) error {
	if deadline, ok := c.Deadline(); ok && time.Until(deadline) < d {
		return storage.CtxError(c.op, c.table, context.DeadlineExceeded)
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
	return storage.CtxError(c.op, c.table, context.DeadlineExceeded)
}

// fail ends entries that are not written: with what the service said of them
// last, or where they were never sent, with err.
func fail(entries []*rowEntry, err error) {
	for _, e := range entries {
		if e.err == nil {
			e.err = asStorage(err)
		}
		e.settle()
	}
}

func asStorage(err error) *storage.Error {
	var e *storage.Error
	if errors.As(err, &e) {
		return e
	}
	return &storage.Error{Code: storage.CodeUnknown, Op: storage.OpMutate, Cause: err}
}

// settle makes the last error of an entry final: once an answer was lost, no
// later refusal says that nothing happened.
func (e *rowEntry) settle() {
	if e.err != nil && e.unsure && e.err.Code != storage.CodeAmbiguous {
		was := *e.err
		was.Code = storage.CodeAmbiguous
		e.err = &was
	}
}

// request makes one request. It gives the entries to send again, and how long
// the service wants to be left alone; an error where the call is over.
func (t *table) request(c *call, entries []*rowEntry) (again []*rowEntry, wait time.Duration, err error) {
	size := 0
	for _, e := range entries {
		size += e.size
	}
	tk, err := t.s.flow.acquire(c, int64(size))
	if err != nil {
		return entries, 0, c.over()
	}
	a := &attempt{entries: make([]*status.Status, len(entries))}
	err = t.call(a.context(c), a, entries)
	if !a.seen && err != nil {
		a.err = err // no interceptor: the library's last word
	}
	throttled := false
	for i, e := range entries {
		st, answered := a.answer(i)
		e.err = nil
		if st.Code() == codes.OK {
			continue
		}
		e.err = c.classify(st.Err())
		switch {
		case e.err.Code == storage.CodeThrottled:
			throttled = true
			e.unsure = e.unsure || !answered && a.some()
			again = append(again, e)
		case transient(st, answered):
			e.unsure = true
			again = append(again, e)
		default:
			e.unsure = e.unsure || e.err.Code == storage.CodeUnknown
			e.settle()
		}
	}
	wait = a.pushback()
	t.s.flow.release(tk, throttled, wait)
	if a.rate != nil {
		t.s.flow.scale(a.rate.Factor, a.rate.Period.AsDuration())
	}
	if len(again) > 0 && c.Err() != nil {
		return again, 0, c.over()
	}
	return again, wait, nil
}

// transient says that an answer is about the way to the row, not about the row.
func transient(st *status.Status, answered bool) bool {
	switch st.Code() {
	case codes.Unavailable, codes.Aborted, codes.DeadlineExceeded, codes.Canceled:
		return true
	case codes.Internal: // a connection that broke
		msg := strings.ToLower(st.Message())
		return !answered && (strings.Contains(msg, "rst") || strings.Contains(msg, "eof"))
	}
	return false
}

// call hands a request to the library; the answers are in a.
func (t *table) call(ctx context.Context, a *attempt, entries []*rowEntry) error {
	if len(entries) == 1 {
		err := t.t.Apply(ctx, entries[0].key, mutation(entries[0].muts, entries[0].unsure))
		if err == nil {
			a.entries[0] = status.New(codes.OK, "")
		}
		return err
	}
	keys := make([]string, len(entries))
	muts := make([]*bigtable.Mutation, len(entries))
	for i, e := range entries {
		keys[i], muts[i] = e.key, mutation(e.muts, e.unsure)
	}
	errs, err := t.t.ApplyBulk(ctx, keys, muts)
	if a.seen || err != nil {
		return err
	}
	for i := range entries {
		a.entries[i] = status.New(codes.OK, "")
		if errs != nil && errs[i] != nil {
			a.entries[i] = status.Convert(errs[i])
		}
	}
	return nil
}
