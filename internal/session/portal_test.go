package session

import (
	"context"
	"io"
	"testing"
	"time"
)

// TestCancelReachesTheOuterPortal asserts that a portal that worked for another, as a
// cursor does for FETCH, gives its place back: what is left of the outer one's work can
// be canceled.
func TestCancelReachesTheOuterPortal(t *testing.T) {
	ctx := context.Background()
	s := allocSession(t)
	bind := func(name string) *Portal {
		st, err := s.Prepare(ctx, "SELECT bal FROM acc WHERE id = 1", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Bind(ctx, name, st, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	outer, inner := bind("outer"), bind("inner")
	armedOuter := outer.arm(ctx)
	armedInner := inner.arm(outer.ctx)
	armedInner.stop()
	s.Cancel()
	if outer.ctx.Err() == nil || inner.ctx.Err() != nil {
		t.Errorf("outer: %v, inner: %v", outer.ctx.Err(), inner.ctx.Err())
	}
	armedOuter.stop()
	next := bind("next")
	s.Cancel()
	if next.ctx.Err() != nil {
		t.Error("a portal that does not run was canceled")
	}
}

// TestCursorsHaveNoTimeOfTheirOwn asserts that statement_timeout counts each FETCH and
// not all of a cursor's.
func TestCursorsHaveNoTimeOfTheirOwn(t *testing.T) {
	ctx := context.Background()
	s := allocSession(t)
	for _, sql := range []string{"SET statement_timeout = '1h'", "BEGIN", "DECLARE c CURSOR FOR SELECT bal FROM acc ORDER BY id", "FETCH 3 FROM c"} {
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	c, err := s.Portal("c")
	if err != nil {
		t.Fatal(err)
	}
	if c.spent != 0 {
		t.Errorf("the cursor has spent %v", c.spent)
	}
	st, err := s.Prepare(ctx, "FETCH 3 FROM c", nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Bind(ctx, "", st, nil)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Next(ctx)
	}
	if err != io.EOF || f.spent == time.Duration(0) {
		t.Errorf("FETCH: %v, %v spent", err, f.spent)
	}
}
