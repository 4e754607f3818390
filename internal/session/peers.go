package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/peers"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// What servers of one store ask each other by the door of internal/peers. Bodies are JSON, so that
// servers of two releases understand what both know.
const (
	askSessions = "sessions" // []pgcatalog.Activity
	askLocks    = "locks"    // []pgcatalog.Lock
	askSignal   = "signal"   // signal -> signalled
	askFreed    = "freed"    // freed -> nothing
	askNotify   = "notify"   // relay.Letter -> heard
	askHeat     = "heat"     // pgcatalog.HeatWanted -> pgcatalog.ServerHeat
)

// patience is how long a server waits for what others say of themselves.
const patience = time.Second

// openDoor lets the servers of a store that is shared ask each other, where Options.Peers says so.
func (db *DB) openDoor(ctx context.Context) error {
	if db.opts.Peers == "" || !db.shared || db.readOnly {
		return nil
	}
	secret, err := db.catalog.Secret(ctx)
	if err != nil {
		return err
	}
	door, err := peers.Listen(db.opts.Peers, peers.Options{ID: db.catalog.Owner, Secret: secret, Logger: db.opts.Logger})
	if err != nil {
		return err
	}
	db.door = door
	answer(db, askSessions, func(context.Context, struct{}) (any, error) { return db.Activity(), nil })
	answer(db, askLocks, func(context.Context, struct{}) (any, error) { return db.Locks(), nil })
	answer(db, askSignal, db.signalled)
	answer(db, askFreed, db.heardFreed)
	answer(db, askNotify, db.heardLetter)
	answer(db, askHeat, func(_ context.Context, want pgcatalog.HeatWanted) (any, error) { return db.heatOf(want), nil })
	return db.catalog.TellAddress(ctx, door.Addr())
}

// answer has requests of a kind answered.
func answer[Q any](db *DB, kind string, with func(ctx context.Context, q Q) (any, error)) {
	db.door.Handle(kind, func(ctx context.Context, _ string, body []byte) ([]byte, error) {
		var q Q
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, err
		}
		a, err := with(ctx, q)
		if err != nil {
			return nil, err
		}
		return json.Marshal(a)
	})
}

// ask asks one server. 57P03 where it does not answer.
func ask[A any](ctx context.Context, door *peers.Door, p peers.Peer, kind string, question any) (a A, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return a, err
	}
	if body, err = door.Ask(ctx, p, kind, body); err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err != nil {
		e := sqlerr.New(sqlerr.CannotConnectNow, "server %s does not answer", p.ID).WithDetail("%v", err)
		e.Cause = err
		return a, e
	}
	return a, nil
}

// others lists the other servers of the store.
func (db *DB) others(ctx context.Context) ([]peers.Peer, error) {
	list, err := db.catalog.Others(ctx)
	out := make([]peers.Peer, len(list))
	for i := range list {
		out[i] = peers.Peer{ID: list[i].ID(), Addr: list[i].Addr, Slot: list[i].Slot}
	}
	return out, err
}

// askOthers shows what each other server of the store says within patience, or by ctx's own
// deadline. What is missing is told by a WARNING: of one that does not answer, or of all where this
// server has no door, or the store does not say which there are.
func askOthers[A any](ctx context.Context, s *Session, kind string, question any, missing string, show func(p peers.Peer, a A)) error {
	db := s.db
	if !db.shared {
		return nil
	}
	warn := func(of, why string, err error) {
		w := sqlerr.Warn(sqlerr.Warning, "%s of %s are not known: %s", missing, of, why)
		if err != nil {
			w = w.WithDetail("%v", err)
		}
		s.notice(w)
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	list, err := db.others(ctx)
	switch {
	case err != nil:
		warn("other servers", "the store does not say which there are", err)
		return nil
	case len(list) == 0:
		return nil
	case db.door == nil:
		warn("other servers", "this server has no door (--peers off)", nil)
		return nil
	}
	for _, answer := range db.door.AskAll(ctx, list, kind, body) {
		var a A
		if answer.Err == nil {
			answer.Err = json.Unmarshal(answer.Body, &a)
		}
		if answer.Err != nil {
			warn("server "+answer.Peer.ID, "it does not answer", answer.Err)
			continue
		}
		show(answer.Peer, a)
	}
	return nil
}

// eachServers shows lists that all servers of the store have, this one's first.
func eachServers[T any](ctx context.Context, s *Session, kind, missing string, own []T, show func(server string, list []T) error) error {
	err := show(s.db.catalog.Owner, own)
	if err != nil {
		return err
	}
	asked := askOthers(ctx, s, kind, struct{}{}, missing, func(p peers.Peer, list []T) {
		if err == nil {
			err = show(p.ID, list)
		}
	})
	if err != nil {
		return err
	}
	return asked
}

// slotBits are the bits of a PID above those that number the sessions of one server: 16 servers,
// and PIDs stay above 0.
const slotBits = 26

// FirstPID gives the PID from which this server numbers its sessions, and how many there are. Those of
// two servers have none in common.
func (db *DB) FirstPID() (first, n int32) {
	return db.slot.Load() << slotBits, 1 << slotBits
}

// HandlePeers has a kind of what servers of the store ask each other answered by who knows more
// than sessions: it does nothing where this server has no door.
func (db *DB) HandlePeers(kind string, h peers.Handler) {
	if db.door != nil {
		db.door.Handle(kind, h)
	}
}

// AskOwner asks the server that has numbered a session: nothing where that is this one, or none.
func (db *DB) AskOwner(ctx context.Context, pid int32, kind string, body []byte) ([]byte, error) {
	if db.door == nil || pid>>slotBits == db.slot.Load() {
		return nil, nil
	}
	list, err := db.others(ctx)
	for _, p := range list {
		if int32(p.Slot) == pid>>slotBits {
			return db.door.Ask(ctx, p, kind, body)
		}
	}
	return nil, err
}
