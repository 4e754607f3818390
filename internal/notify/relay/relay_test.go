package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

var errLost = errors.New("lost")

// world is a store and doors between servers, which lose questions and answers by chance.
type world struct {
	mu      sync.Mutex
	r       *rand.Rand
	trouble int // of 100 questions
	doors   bool
	mail    map[string][]Letter // by server
	servers map[string]*server
}

type server struct {
	*Relay
	w    *world
	id   string
	hub  notify.Hub
	work sync.WaitGroup
}

func (w *world) chance(of int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.r.IntN(100) < of
}

func (w *world) open(id string) *server {
	s := &server{w: w, id: id}
	s.Relay = New(id, &s.hub, s, slog.New(slog.DiscardHandler), func(work func(context.Context)) {
		s.work.Go(func() { work(context.Background()) })
	})
	s.hub.Connect(notify.Others{Tell: func(context.Context) error { return nil }, Send: s.Send, Room: s.Room, Patience: Patience})
	w.servers[id] = s
	return s
}

func (s *server) Others(context.Context) (list []Server, err error) {
	for id, other := range s.w.servers {
		if id == s.id {
			continue
		}
		to := Server{ID: id}
		if s.w.doors {
			to.Addr = id
		}
		if on, _ := other.hub.Listening(); len(on) > 0 {
			to.Listens = func(channel string) bool { return slices.Contains(on, channel) }
		}
		list = append(list, to)
	}
	return list, nil
}

func (s *server) Ask(ctx context.Context, to Server, l Letter) (bool, error) {
	if s.w.chance(s.w.trouble) {
		return false, errLost
	}
	full, err := s.w.servers[to.ID].Hear(ctx, l)
	if s.w.chance(s.w.trouble) {
		return false, errLost
	}
	return full, err
}

func (s *server) Leave(_ context.Context, to string, l Letter) error {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.w.mail[to] = append(s.w.mail[to], l)
	return nil
}

func (s *server) Letters(_ context.Context, read func(Letter) bool) error {
	s.w.mu.Lock()
	list := s.w.mail[s.id]
	s.w.mail[s.id] = nil
	s.w.mu.Unlock()
	slices.SortFunc(list, func(a, b Letter) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Seq, b.Seq))
	})
	for i, l := range list {
		if !read(l) {
			s.w.mu.Lock()
			s.w.mail[s.id] = append(list[i:], s.w.mail[s.id]...)
			s.w.mu.Unlock()
			break
		}
	}
	return nil
}

// TestRelay: whatever questions and answers are lost, what commits on one server is told once, and
// in the order of each session, to who listens on the others.
func TestRelay(t *testing.T) {
	seed := seeds.First(t)
	t.Logf("seed %d", seed)
	for _, w := range []*world{{doors: true}, {doors: true, trouble: 20}, {doors: true, trouble: 100}, {}} {
		w.r, w.mail, w.servers = rand.New(rand.NewPCG(seed, uint64(w.trouble))), map[string][]Letter{}, map[string]*server{}
		all := []*server{w.open("a"), w.open("b"), w.open("c")}
		free := func(int64) error { return nil }
		commit := func(c *notify.Client) {
			end, err := c.Begin(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			end(true)
		}
		listeners := map[string]*notify.Client{}
		for _, s := range all[:2] {
			c := new(notify.Client)
			c.Join(&s.hub, func() {}, free)
			if err := c.Listen("x"); err != nil {
				t.Fatal(err)
			}
			commit(c)
			listeners[s.id] = c
		}
		const sessions, each = 6, 40
		var work sync.WaitGroup
		for n := range sessions {
			c := new(notify.Client)
			c.Join(&all[n%len(all)].hub, nil, free)
			work.Go(func() {
				for i := range each {
					for _, channel := range []string{"x", "y"} {
						if err := c.Send(notify.Notification{Channel: channel, Payload: fmt.Sprint(i), PID: int32(n)}, false); err != nil {
							t.Error(err)
						}
					}
					if i%3 == 0 {
						commit(c)
					}
				}
				commit(c)
			})
		}
		work.Wait()
		for _, s := range all {
			s.work.Wait()
			if err := s.Look(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for id, c := range listeners {
			told := map[int32][]string{}
			for _, n := range c.Take() {
				if n.Channel != "x" {
					t.Errorf("%s is told of %q", id, n.Channel)
				}
				told[n.PID] = append(told[n.PID], n.Payload)
			}
			var want []string
			for i := range each {
				want = append(want, fmt.Sprint(i))
			}
			for n := range int32(sessions) {
				if !slices.Equal(told[n], want) {
					t.Errorf("doors %v, trouble %d: %s is told by session %d: %v", w.doors, w.trouble, id, n, told[n])
				}
			}
		}
	}
}

// TestFull: a server whose clients take nothing has no room in the end: NOTIFY on another is 54000,
// and what was sent is told when there is room.
func TestFull(t *testing.T) {
	w := &world{doors: true, r: rand.New(rand.NewPCG(1, 1)), mail: map[string][]Letter{}, servers: map[string]*server{}}
	a, b := w.open("a"), w.open("b")
	free := func(int64) error { return nil }
	var to, from notify.Client
	to.Join(&b.hub, func() {}, free)
	from.Join(&a.hub, nil, free)
	if err := to.Listen("x"); err != nil {
		t.Fatal(err)
	}
	end, err := to.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	end(true)
	sent := 0
	for {
		for i := range 300 {
			if err := from.Send(notify.Notification{Channel: "x", Payload: fmt.Sprintf("%07000d", i), PID: int32(sent)}, false); err != nil {
				t.Fatal(err)
			}
		}
		end, err := from.Begin(t.Context())
		if err != nil {
			if sqlerr.CodeOf(err) != sqlerr.ProgramLimitExceeded {
				t.Error(err)
			}
			break
		}
		end(true)
		sent++
	}
	got := 0
	for range 3 {
		got += len(to.Take())
		if err := b.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got != sent*300 || sent < 4 {
		t.Errorf("%d of %d were told", got, sent*300)
	}
	a.mu.Lock()
	a.full = time.Time{}
	a.mu.Unlock()
	if err := a.Room(); err != nil {
		t.Error(err)
	}
}
