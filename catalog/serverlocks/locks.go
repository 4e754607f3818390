package serverlocks

import (
	"context"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// Pauses between two looks at a row that others hold.
const (
	firstPause = 5 * time.Millisecond
	mostPause  = 500 * time.Millisecond
	// passOver is for how long a lock that nobody holds is left to those who came before.
	passOver = 2 * mostPause
)

// Locks are what this server holds and waits for. Its methods are safe for concurrent use.
type Locks struct {
	keeper *versions.Keeper
	// tell has another server's Wake called, without waiting for it.
	tell func(server, name string)

	mu   sync.Mutex
	rows map[string]*row
	seen map[string]observed // servers' rows, by key
}

// row is one lock as this server knows it.
type row struct {
	name  string
	users int           // calls that use it; under Locks.mu
	woken chan struct{} // closed by Wake; under Locks.mu
	turn  chan struct{} // holds one: whoever took it may use what follows

	join              int64 // of the lease by which these are held
	exclusive, shared int   // how often
	waiting           int   // calls of Take that wait
	last              stored
	unsettled         bool      // the row may say other than these
	looked            time.Time // for servers that have died
	queued            time.Time // since when only others that wait are in the way; zero: not so
}

// New gives the locks of a member of the servers of a store. tell is to have another server call Wake,
// and must not wait for it; nil leaves others to look for themselves. Its work in the background ends with the keeper.
func New(k *versions.Keeper, tell func(server, name string)) *Locks {
	l := &Locks{keeper: k, tell: tell, rows: map[string]*row{}}
	k.Background(l.sweeps)
	return l
}

// use gives the row of a name, which stays until unuse.
func (l *Locks) use(name string) *row {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[name]
	if r == nil {
		r = &row{name: name, woken: make(chan struct{}), turn: make(chan struct{}, 1)}
		l.rows[name] = r
	}
	r.users++
	return r
}

func (l *Locks) unuse(r *row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.users--; r.users == 0 && r.exclusive+r.shared == 0 {
		delete(l.rows, r.name)
	}
}

// Wake has whoever waits for a lock look at it now.
func (l *Locks) Wake(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rows[name]; r != nil {
		close(r.woken)
		r.woken = make(chan struct{})
	}
}

// Take has this server hold a lock once more, and gives the join by whose lease it does; ok is
// false where others hold it and wait is not asked for. The server then knows the catalog as whoever
// had the lock before has left it. ctx ends a wait, with its cause. No two
// calls that wait for one name at a time may be in each other's way.
func (l *Locks) Take(ctx context.Context, name string, shared, wait bool) (join int64, ok bool, err error) {
	r := l.use(name)
	defer l.unuse(r)
	if err := r.enter(ctx); err != nil {
		return 0, false, err
	}
	if wait {
		r.waiting++
	}
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		l.mu.Lock()
		woken := r.woken
		l.mu.Unlock()
		join, ok, err = l.try(ctx, r, shared, wait)
		if ok || err != nil || !wait {
			break
		}
		<-r.turn
		if err := r.pause(ctx, pause, woken); err != nil {
			r.turn <- struct{}{}
			r.waiting--
			l.mendSoon(r)
			<-r.turn
			return 0, false, err
		}
		r.turn <- struct{}{}
	}
	if wait {
		r.waiting--
	}
	if err != nil {
		l.mendSoon(r)
		if err = catalog.FromStorage(err, "taking an advisory lock"); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	<-r.turn
	return join, ok, err
}

// enter waits for the turn to use the row.
func (r *row) enter(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause waits for a look's time, or for Wake.
func (r *row) pause(ctx context.Context, d time.Duration, woken <-chan struct{}) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-woken:
	case <-t.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// try takes the lock if it can now. The turn is the caller's.
func (l *Locks) try(ctx context.Context, r *row, shared, wait bool) (join int64, ok bool, err error) {
	again, sent := 0, ""
	for first := r.last.cell == "" && !r.unsettled; ; first = false {
		if err := l.keeper.Live(ctx); err != nil {
			return 0, false, err
		}
		ctx := l.keeper.Leased(ctx)
		join = l.keeper.Joins()
		if r.join != join { // what was held by another lease is lost
			r.join, r.exclusive, r.shared = join, 0, 0
		}
		if r.exclusive > 0 || shared && r.shared > 0 {
			r.count(shared)
			return join, true, nil
		}
		me := entry{l.keeper.Owner, join, !shared}
		var at stored
		if !first {
			if at, err = l.read(ctx, r.name); err != nil {
				return 0, false, err
			}
		}
		st := at.without(func(e entry) bool { return e.Server == me.Server && e.Join != join })
		if st.held(me) || st.queued(me) {
			if st, err = l.bury(ctx, r, st); err != nil {
				return 0, false, err
			}
		}
		granted := !st.held(me) && (!st.queued(me) || r.passes())
		switch {
		case granted:
			st = st.granted(me)
		case wait:
			st = st.waiting(me)
		}
		if st.held(me) {
			r.queued = time.Time{}
		}
		// A hold is one that this call has written: another may be about to be removed (sweep).
		if granted && at.cell != sent || !st.equal(at.state) {
			r.unsettled = true
			now, won, err := l.swap(ctx, r.name, at, st)
			sent = now.cell
			if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) || err != nil && again > 8 {
				return 0, false, err
			}
			if !won {
				again++
				if err := storage.Pause(ctx, min(again-1, 5), raceUnit); err != nil {
					return 0, false, context.Cause(ctx)
				}
				continue
			}
			at = now
		}
		r.last, r.unsettled = at, !granted && wait
		if granted {
			// Whoever had the lock may have changed the catalog under it.
			if _, err := l.keeper.Refresh(ctx); err != nil {
				r.unsettled = true
				return 0, false, err
			}
		}
		if granted && l.keeper.Holds(join) {
			r.queued = time.Time{}
			r.count(shared)
			return join, true, nil
		}
		if !granted {
			return 0, false, nil
		}
	}
}

// count notes one more hold.
func (r *row) count(shared bool) {
	if shared {
		r.shared++
	} else {
		r.exclusive++
	}
}

// passes says that a lock has been left to those who came before for long enough. It is asked when
// nothing else is in the way.
func (r *row) passes() bool {
	if r.queued.IsZero() {
		r.queued = time.Now()
	}
	return time.Since(r.queued) > passOver
}

// Give has this server hold a lock once less, which it had by the lease of a join. What cannot be
// told to the store now is told in the background.
func (l *Locks) Give(name string, shared bool, join int64) {
	r := l.use(name)
	defer l.unuse(r)
	r.turn <- struct{}{}
	defer func() { <-r.turn }()
	if r.join != join {
		return // lost with that lease
	}
	n := &r.exclusive
	if shared {
		n = &r.shared
	}
	*n--
	if *n > 0 || shared && r.exclusive > 0 {
		return
	}
	if r.unsettled = true; l.keeper.Closing() {
		return // what is left ends with the lease
	}
	ctx, cancel := context.WithTimeout(context.Background(), giveWithin)
	defer cancel()
	if err := l.settle(ctx, r); err != nil {
		l.mendSoon(r)
	}
}
