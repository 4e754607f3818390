package notify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestModel runs transactions of LISTEN, UNLISTEN and NOTIFY at random, with savepoints, and
// compares what each client is told with a model that knows only what was committed.
func TestModel(t *testing.T) {
	var h Hub
	type of struct {
		on  map[string]bool
		due []Notification
	}
	const clients = 3
	var cs [clients]Client
	var model [clients]of
	woken := 0
	var booked [clients]int64
	for i := range cs {
		cs[i].Join(&h, func() { woken++ }, func(n int64) error { booked[i] = n; return nil })
		model[i].on = map[string]bool{}
	}
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a", "b", "c"}
	for range 5000 {
		i := r.IntN(clients)
		c := &cs[i]
		var asked []func()
		var sent []Notification
		for range r.IntN(6) {
			name := names[r.IntN(len(names))]
			mark := c.Mark()
			wasAsked, wasSent := len(asked), len(sent)
			switch r.IntN(4) {
			case 0:
				if err := c.Listen(name); err != nil {
					t.Fatal(err)
				}
				asked = append(asked, func() { model[i].on[name] = true })
			case 1:
				all := r.IntN(3) == 0
				if err := c.Unlisten(name, all); err != nil {
					t.Fatal(err)
				}
				asked = append(asked, func() {
					for on := range model[i].on {
						if all || on == name {
							delete(model[i].on, on)
						}
					}
					model[i].due = slices.DeleteFunc(model[i].due, func(n Notification) bool { return all || n.Channel == name })
				})
			default:
				n := Notification{Channel: name, Payload: names[r.IntN(3)], PID: int32(i)}
				if err := c.Send(n, false); err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(sent, n) {
					sent = append(sent, n)
				}
			}
			if r.IntN(4) == 0 { // ROLLBACK TO SAVEPOINT
				c.Forget(mark)
				asked, sent = asked[:wasAsked], sent[:wasSent]
			}
		}
		commit := r.IntN(4) > 0
		end, err := c.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wakes, want := woken, 0
		end(commit)
		if commit {
			for _, do := range asked {
				do()
			}
			for j := range model {
				was := len(model[j].due)
				for _, n := range sent {
					if model[j].on[n.Channel] {
						model[j].due = append(model[j].due, n)
					}
				}
				if was == 0 && len(model[j].due) > 0 {
					want++
				}
			}
		}
		if woken-wakes != want {
			t.Fatalf("%d clients were woken, want %d", woken-wakes, want)
		}
		c.Forget(Mark{})
		if want := int64(len(c.Channels())) * (sentBeside + 1); booked[i] != want {
			t.Fatalf("%d bytes are booked for %d channels", booked[i], want)
		}
		if r.IntN(3) == 0 {
			j := r.IntN(clients)
			if got := cs[j].Take(); !slices.Equal(got, model[j].due) {
				t.Fatalf("client %d is told %v, want %v", j, got, model[j].due)
			}
			model[j].due = nil
		}
	}
	for i := range cs {
		cs[i].Stop()
		if len(cs[i].Channels()) > 0 || len(cs[i].Take()) > 0 {
			t.Errorf("client %d listens after Stop", i)
		}
	}
	if h.Usage() != 0 || len(h.listeners) != 0 {
		t.Errorf("of no listeners the hub holds %g, %v", h.Usage(), h.listeners)
	}
}

// TestRoom fills the inboxes: what has no room is refused before its COMMIT, and a later one
// passes once the client has taken what waits.
func TestRoom(t *testing.T) {
	var h Hub
	var from, to Client
	free := func(int64) error { return nil }
	from.Join(&h, nil, free)
	to.Join(&h, func() {}, free)
	if from.Listens() || !to.Listens() {
		t.Error("a client that cannot be told listens, or one that can does not")
	}
	if err := to.Listen("x"); err != nil {
		t.Fatal(err)
	}
	commit := func(c *Client) error {
		end, err := c.Begin(t.Context())
		if err == nil {
			end(true)
		}
		return err
	}
	if err := commit(&to); err != nil {
		t.Fatal(err)
	}
	payload := string(make([]byte, maxPayload))
	var err error
	n := 0
	for ; err == nil; n++ {
		if err = from.Send(Notification{Channel: "x", Payload: payload, PID: int32(n)}, false); err != nil {
			t.Fatal(err)
		}
		err = commit(&from)
	}
	if sqlerr.CodeOf(err) != sqlerr.ProgramLimitExceeded || h.Usage() > 1 {
		t.Fatalf("after %d: %v, usage %g", n, err, h.Usage())
	}
	if got := len(to.Take()); got != n-1 {
		t.Errorf("%d were told, want %d", got, n-1)
	}
	if err := commit(&from); err != nil { // it was not forgotten: the transaction may go on
		t.Error(err)
	}
	for _, bad := range []Notification{{}, {Channel: string(make([]byte, maxChannel+1))}, {Channel: "x", Payload: payload + "x"}} {
		if err := from.Send(bad, true); sqlerr.CodeOf(err) != sqlerr.InvalidParameterValue {
			t.Errorf("a channel of %d bytes and a payload of %d: %v", len(bad.Channel), len(bad.Payload), err)
		}
	}
}

// TestBooked: what a transaction sends is booked until it ends, and what cannot be is not sent.
func TestBooked(t *testing.T) {
	var h Hub
	var c Client
	full := sqlerr.New(sqlerr.OutOfMemory, "full")
	var booked int64
	c.Join(&h, nil, func(n int64) error {
		if n > 1<<20 {
			return full
		}
		booked = n
		return nil
	})
	payload := string(make([]byte, maxPayload))
	sent := 0
	for {
		if err := c.Send(Notification{Channel: "x", Payload: payload, PID: int32(sent)}, true); err != nil {
			if err != error(full) {
				t.Error(err)
			}
			break
		}
		sent++
	}
	if sent < 100 || sent > 1<<20/maxPayload {
		t.Errorf("%d were sent", sent)
	}
	if c.Forget(Mark{}); booked != 0 {
		t.Errorf("%d bytes are booked", booked)
	}
}
