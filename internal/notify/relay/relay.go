package relay

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

const (
	patience  = time.Second      // with a server's door
	avoidFor  = 5 * time.Second  // a door that has failed
	storeFor  = 10 * time.Second // that letters are tried to be left in the store
	storeStep = 100 * time.Millisecond
	// Patience is how long a COMMIT waits at most until other servers have its notifications.
	Patience = 2 * time.Second
	// maxLetter is how many bytes of texts a letter has, unless one notification has more.
	maxLetter = 1 << 20
	//saltsql:limit connections: bytes of notifications that wait for other servers (54000)
	maxPending = 16 << 20 // of texts that wait to be sent
)

// Letter is a message to another server.
type Letter struct {
	From   string                // the server that sends it
	Stream int64                 // of letters of From to one server, which are numbered anew in each
	Seq    uint64                // from 1
	List   []notify.Notification // in the order of commits
}

// Server is another one of the store.
type Server struct {
	ID, Addr string                    // Addr is empty where it has no door
	Listens  func(channel string) bool // nil: to nothing
}

// Ways are how letters travel. Its methods may be called at once.
type Ways interface {
	// Others lists the other servers of the store as they are now.
	Others(ctx context.Context) ([]Server, error)
	// Ask has a server Hear a letter, by its door.
	Ask(ctx context.Context, to Server, l Letter) (full bool, err error)
	// Leave puts a letter into the store for a server.
	Leave(ctx context.Context, to string, l Letter) error
	// Letters shows what lies in the store for this server, by sender, stream and number, and removes
	// those for which read gives true; false ends it.
	Letters(ctx context.Context, read func(Letter) bool) error
}

// Relay is one server's part. Its methods are safe for concurrent use.
type Relay struct {
	ways   Ways
	hub    *notify.Hub
	own    string // this server
	logger *slog.Logger
	run    func(work func(context.Context)) // in the background

	mu      sync.Mutex
	next    *batch // that is not being sent yet
	pending int64  // bytes of batches
	sending bool
	full    time.Time // until when servers are taken to have no room

	targets map[string]*target // by server; of the goroutine that sends

	in   sync.Mutex // held while letters are heard
	from map[string]heard
}

// batch is what is sent together, of one commit or several.
type batch struct {
	list  []notify.Notification
	bytes int64
	done  chan struct{}
}

// target is a server to which letters go.
type target struct {
	stream int64
	seq    uint64    // of the last letter
	avoid  time.Time // its door until then
}

// heard is what has come from a server.
type heard struct {
	stream int64
	last   uint64
}

// New gives the relay of a server to its hub. run has work done in the background.
func New(own string, hub *notify.Hub, ways Ways, logger *slog.Logger, run func(func(context.Context))) *Relay {
	return &Relay{ways: ways, hub: hub, own: own, logger: logger, run: run, targets: map[string]*target{}, from: map[string]heard{}}
}

// Room says whether other servers have room for notifications: 54000.
func (r *Relay) Room() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending <= maxPending && time.Now().After(r.full) {
		return nil
	}
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many notifications in the NOTIFY queue").
		WithDetail("%d bytes are on their way to other servers, or clients there have notifications to take.", r.pending)
}

// Send sends notifications to the servers that listen to them. done is closed when they have them,
// or when that was given up.
func (r *Relay) Send(list []notify.Notification) (done <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = &batch{done: make(chan struct{})}
	}
	b := r.next
	b.list = append(b.list, list...)
	n := bytesOf(list)
	b.bytes += n
	r.pending += n
	if !r.sending {
		r.sending = true
		r.run(r.sendAll)
	}
	return b.done
}

func bytesOf(list []notify.Notification) (n int64) {
	for i := range list {
		n += int64(len(list[i].Channel) + len(list[i].Payload))
	}
	return n
}

// sendAll sends batches until there is none.
func (r *Relay) sendAll(ctx context.Context) {
	for {
		r.mu.Lock()
		b := r.next
		if r.next = nil; b == nil {
			r.sending = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		if err := guard.Run(func() error { return r.sendBatch(ctx, b.list) }); err != nil && ctx.Err() == nil {
			r.logger.Warn("notifications did not reach other servers", "error", err)
		}
		r.mu.Lock()
		r.pending -= b.bytes
		r.mu.Unlock()
		close(b.done)
	}
}

// sendBatch sends to each server what it listens to.
func (r *Relay) sendBatch(ctx context.Context, list []notify.Notification) error {
	var servers []Server
	err := insist(ctx, func(ctx context.Context) (err error) {
		servers, err = r.ways.Others(ctx)
		return err
	})
	if err != nil {
		return err
	}
	there := make(map[string]*target, len(servers))
	var all sync.WaitGroup
	for _, s := range servers {
		to := r.targets[s.ID]
		if to == nil {
			to = &target{stream: time.Now().UnixNano()}
		}
		there[s.ID] = to
		if s.Listens == nil {
			continue
		}
		all.Go(func() {
			if err := guard.Run(func() error { return r.sendTo(ctx, s, to, list) }); err != nil && ctx.Err() == nil {
				r.logger.Warn("notifications did not reach another server", "server", s.ID, "error", err)
			}
		})
	}
	all.Wait()
	r.targets = there
	return nil
}

func (r *Relay) sendTo(ctx context.Context, s Server, to *target, list []notify.Notification) error {
	var part []notify.Notification
	n := 0
	for i, what := range list {
		if s.Listens(what.Channel) {
			part = append(part, what)
			n += len(what.Channel) + len(what.Payload)
		}
		if n > maxLetter || i == len(list)-1 && len(part) > 0 {
			to.seq++
			if err := r.post(ctx, s, to, Letter{r.own, to.stream, to.seq, part}); err != nil {
				return err
			}
			part, n = nil, 0
		}
	}
	return nil
}

// post sends a letter by a server's door, and where that fails through the store.
func (r *Relay) post(ctx context.Context, s Server, to *target, l Letter) error {
	if s.Addr != "" && time.Now().After(to.avoid) {
		ask, cancel := context.WithTimeout(ctx, patience)
		full, err := r.ways.Ask(ask, s, l)
		cancel()
		if err == nil && !full {
			return nil
		}
		to.avoid = time.Now().Add(avoidFor)
		if full {
			r.mu.Lock()
			r.full = to.avoid
			r.mu.Unlock()
		}
	}
	return insist(ctx, func(ctx context.Context) error { return r.ways.Leave(ctx, s.ID, l) })
}

// insist calls the store until it answers, for storeFor at most.
func insist(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, storeFor)
	defer cancel()
	for {
		err := call(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(storeStep):
		}
	}
}
