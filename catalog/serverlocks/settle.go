package serverlocks

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// giveWithin is for how long a session waits for the store when it gives a lock back.
const giveWithin = time.Second

// raceUnit is about how long a lost race for a row is waited out at first.
const raceUnit = time.Millisecond

// settle has the row say what this server holds and waits for. The turn is the caller's.
func (l *Locks) settle(ctx context.Context, r *row) error {
	at, known := r.last, r.last.cell != ""
	for try := 0; ; try++ {
		if !known {
			var err error
			if at, err = l.read(ctx, r.name); err != nil {
				return err
			}
		}
		me := entry{l.keeper.Owner, r.join, r.exclusive > 0}
		next := at.of(me, r.exclusive+r.shared > 0, r.waiting > 0)
		if next.equal(at.state) {
			r.last, r.unsettled = at, r.waiting > 0
			return nil
		}
		now, won, err := l.swap(ctx, r.name, at, next)
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous && !storage.IsRetryable(err) {
			return err
		}
		if won {
			r.last, r.unsettled = now, r.waiting > 0
			for _, w := range next.Waits {
				if w.Server != me.Server && l.tell != nil {
					l.tell(w.Server, r.name)
				}
			}
			return nil
		}
		known = false
		if err := storage.Pause(ctx, min(try, 5), raceUnit); err != nil {
			return err
		}
	}
}

// mendSoon has the row settled in the background, where it may say what is not so: until it is, or
// this server's lease is over. The turn is the caller's.
func (l *Locks) mendSoon(r *row) {
	if !r.unsettled {
		return
	}
	join := r.join
	l.use(r.name)
	l.keeper.Background(func(ctx context.Context) {
		defer l.unuse(r)
		for pause := firstPause; ; pause = min(2*pause, mostPause) {
			if r.enter(ctx) != nil {
				return
			}
			done := !r.unsettled || r.waiting > 0 || !l.keeper.Holds(join)
			if !done {
				r.last = stored{} // who knows
				once, cancel := context.WithTimeout(ctx, giveWithin)
				done = l.settle(once, r) == nil
				cancel()
			}
			<-r.turn
			if done || versions.Sleep(ctx, pause) != nil {
				return
			}
		}
	})
}
