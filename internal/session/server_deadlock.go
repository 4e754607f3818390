package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/advisory"
	"github.com/saltsql/saltsql/internal/guard"
)

// A circle of sessions that wait for each other's advisory locks over several servers is found by
// asking the servers which locks their sessions have. They are asked one after another, so that a
// circle may never have been: it counts when it is seen twice, each wait the same. All of its
// sessions find it, and the last of them by name gives up. Who waits behind another that waits is not
// asked for: such a circle ends by lock_timeout or statement_timeout.
const (
	circleAfter = time.Second            // that a session waits
	circleEach  = 5 * time.Second        // while there is none
	circleAgain = 100 * time.Millisecond // to see one twice
)

// breakCircles ends ctx with 40P01 where the session, which waits for a lock by it, is the one that
// has to give up. stop must be called.
func (s *Session) breakCircles(ctx context.Context) (_ context.Context, stop func()) {
	if s.db.door == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	timer := time.AfterFunc(circleAfter, func() {
		defer close(ended)
		err := guard.Run(func() error {
			if s.inCircle(ctx) {
				cancel(advisory.Deadlock())
			}
			return nil
		})
		if err != nil {
			s.db.opts.Logger.Error("looking for a deadlock of advisory locks failed", "error", err)
		}
	})
	return ctx, func() {
		cancel(nil)
		if !timer.Stop() {
			<-ended
		}
	}
}

// inCircle waits until the session has to give up; false where ctx ends before.
func (s *Session) inCircle(ctx context.Context) bool {
	me := waiter{s.db.catalog.Owner, s.id}
	var seen string
	for {
		circle := circleOf(me, s.db.locksOfAll(ctx))
		pause := circleEach
		if circle != "" {
			if circle == seen {
				return true
			}
			pause = circleAgain
		}
		seen = circle
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}

// waiter is a session of one of the servers.
type waiter struct {
	server  string
	session int64
}

func (w waiter) less(other waiter) bool {
	if w.server != other.server {
		return w.server < other.server
	}
	return w.session < other.session
}

// locksOfAll lists the locks of the servers that answer, by server.
func (db *DB) locksOfAll(ctx context.Context) map[string][]pgcatalog.Lock {
	all := map[string][]pgcatalog.Lock{db.catalog.Owner: db.Locks()}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	list, err := db.others(ctx)
	if err != nil {
		return all
	}
	for _, a := range db.door.AskAll(ctx, list, askLocks, []byte("{}")) {
		var locks []pgcatalog.Lock
		if a.Err == nil && json.Unmarshal(a.Body, &locks) == nil {
			all[a.Peer.ID] = locks
		}
	}
	return all
}

// circleOf tells a circle of waits that me closes, where none of it comes after me; "" is none.
func circleOf(me waiter, locks map[string][]pgcatalog.Lock) string {
	type key struct {
		a, b uint32
		two  bool
	}
	type holder struct {
		waiter
		exclusive bool
	}
	holders, waits := map[key][]holder{}, map[waiter]pgcatalog.Lock{}
	of := func(l pgcatalog.Lock) key { return key{l.A, l.B, l.Two} }
	for server, list := range locks {
		for _, l := range list {
			w := waiter{server, l.Session}
			switch {
			case l.Kind != pgcatalog.LockAdvisory:
			case l.Granted:
				holders[of(l)] = append(holders[of(l)], holder{w, l.Mode == advisory.Exclusive})
			default:
				waits[w] = l
			}
		}
	}
	passed := map[waiter]bool{}
	var path []string
	var reaches func(w waiter) bool
	reaches = func(w waiter) bool {
		l, ok := waits[w]
		if !ok || passed[w] || me.less(w) {
			return false
		}
		passed[w] = true
		path = append(path, fmt.Sprint(w, of(l), l.Since.UnixNano()))
		if slices.ContainsFunc(holders[of(l)], func(h holder) bool {
			return h.waiter != w && (h.exclusive || l.Mode == advisory.Exclusive) && (h.waiter == me || reaches(h.waiter))
		}) {
			return true
		}
		path = path[:len(path)-1]
		return false
	}
	if !reaches(me) {
		return ""
	}
	return strings.Join(path, " -> ")
}
