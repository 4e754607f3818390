package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/notify/relay"
	"github.com/saltsql/saltsql/internal/peers"
)

// openRelay has notifications reach the sessions of all servers of a store that is shared.
func (db *DB) openRelay() {
	if !db.shared || db.readOnly {
		return
	}
	db.relay = relay.New(db.catalog.Owner, &db.channels, ways{db}, db.opts.Logger, db.catalog.Background)
	db.catalog.SayListening(db.channels.Listening)
	db.channels.Connect(notify.Others{
		Tell: func(ctx context.Context) error { _, err := db.catalog.TellConnections(ctx); return err },
		Send: db.relay.Send, Room: db.relay.Room, Patience: relay.Patience,
	})
	db.catalog.Background(db.lookForLetters)
}

// stillLooks is for how long a server looks for letters once none of its sessions listens.
const stillLooks = time.Minute

// lookForLetters hears what the store has for this server while sessions listen, and once in a lease
// has letters removed that nobody takes.
func (db *DB) lookForLetters(ctx context.Context) {
	lease, refresh, _ := db.catalog.Times()
	swept := time.Now()
	var listened time.Time
	for versions.Sleep(ctx, refresh) == nil {
		if db.channels.Busy() {
			listened = time.Now()
		}
		var err error
		if time.Since(listened) < stillLooks {
			err = db.relay.Look(ctx)
		}
		if time.Since(swept) > lease && err == nil {
			swept = time.Now()
			var servers map[string]bool
			if servers, err = db.catalog.SweepMail(ctx); err == nil {
				db.relay.Forget(func(server string) bool { return !servers[server] })
			}
		}
		if err != nil && ctx.Err() == nil {
			db.opts.Logger.Warn("notifications of other servers could not be read from the store", "error", err)
		}
	}
}

// heardLetter says what became of a letter.
type heardLetter struct{ Full bool }

func (db *DB) heardLetter(ctx context.Context, l relay.Letter) (any, error) {
	full, err := db.relay.Hear(ctx, l)
	return heardLetter{full}, err
}

// ways are how letters travel between servers.
type ways struct{ db *DB }

func (w ways) Others(ctx context.Context) ([]relay.Server, error) {
	list, err := w.db.catalog.Others(ctx)
	out := make([]relay.Server, 0, len(list))
	for i := range list {
		s := &list[i]
		to := relay.Server{ID: s.ID()}
		if w.db.door != nil {
			to.Addr = s.Addr
		}
		switch {
		case w.db.catalog.Silent(s): // dead, and listed still so that its letters go on being numbered
		case s.ListensAll:
			to.Listens = func(string) bool { return true }
		case len(s.Listens) > 0:
			on := make(map[string]bool, len(s.Listens))
			for _, channel := range s.Listens {
				on[channel] = true
			}
			to.Listens = func(channel string) bool { return on[channel] }
		}
		out = append(out, to)
	}
	return out, err
}

func (w ways) Ask(ctx context.Context, to relay.Server, l relay.Letter) (full bool, err error) {
	a, err := ask[heardLetter](ctx, w.db.door, peers.Peer{ID: to.ID, Addr: to.Addr}, askNotify, l)
	return a.Full, err
}

func (w ways) Leave(ctx context.Context, to string, l relay.Letter) error {
	value, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return w.db.catalog.PutMail(ctx, to, fmt.Sprintf("%016x/%016x", l.Stream, l.Seq), value)
}

func (w ways) Letters(ctx context.Context, read func(relay.Letter) bool) error {
	return w.db.catalog.ReadMail(ctx, func(value []byte) (bool, error) {
		var l relay.Letter
		if err := json.Unmarshal(value, &l); err != nil {
			w.db.opts.Logger.Warn("a letter of another server cannot be read", "error", err)
			return true, nil
		}
		return read(l), nil
	})
}
