package peers

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

func open(t *testing.T, id string, secret byte) *Door {
	t.Helper()
	d, err := Listen("127.0.0.1:0", Options{ID: id, Secret: bytes.Repeat([]byte{secret}, SecretSize), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	d.Handle("echo", func(_ context.Context, from string, body []byte) ([]byte, error) {
		return append([]byte(from+" said "), body...), nil
	})
	d.Handle("breaks", func(context.Context, string, []byte) ([]byte, error) { panic("of a handler") })
	d.Handle("fails", func(context.Context, string, []byte) ([]byte, error) { return nil, errors.New("cannot") })
	d.Handle("waits", func(ctx context.Context, _ string, _ []byte) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() })
	d.Handle("late", func(context.Context, string, []byte) ([]byte, error) {
		return nil, fmt.Errorf("reading: %w", context.DeadlineExceeded)
	})
	d.Handle("long", func(context.Context, string, []byte) ([]byte, error) { return make([]byte, maxBody+1), nil })
	return d
}

func TestPeersAsk(t *testing.T) {
	ctx := context.Background()
	b, gone := open(t, "b", 1), open(t, "gone", 1)
	a := open(t, "a", 1)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	list := []Peer{{ID: "b", Addr: b.Addr()}, {ID: "gone", Addr: gone.Addr()}}
	answers := a.AskAll(ctx, list, "echo", []byte("hello"))
	if len(answers) != 2 || string(answers[0].Body) != "a said hello" || answers[0].Err != nil || answers[1].Err == nil {
		t.Errorf("%+v", answers)
	}
	at := list[0]
	for kind, want := range map[string]string{"breaks": "panic: of a handler", "fails": "cannot", "nosuch": "another release", "long": "too long"} {
		if _, err := a.Ask(ctx, at, kind, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "server b") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := a.Ask(ctx, at, "echo", make([]byte, maxBody+1)); err == nil {
		t.Error("too long a question was asked")
	}
	if got, err := a.Ask(ctx, at, "echo", make([]byte, maxBody-100)); err != nil || len(got) != maxBody-100+len("a said ") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := a.Ask(ctx, Peer{ID: "c"}, "echo", nil); err == nil || !strings.Contains(err.Error(), "--peers") {
		t.Errorf("a peer without a door: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := a.Ask(short, at, "waits", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline: %v", err)
	}
	if _, err := a.Ask(ctx, at, "late", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a deadline that the other side saw: %v", err)
	}
}

// TestStrangers: who has another secret, no certificate or no TLS is told nothing, whichever side asks.
func TestStrangers(t *testing.T) {
	a, stranger := open(t, "a", 1), open(t, "stranger", 2)
	for _, at := range [][2]*Door{{stranger, a}, {a, stranger}} {
		if got, err := at[0].Ask(context.Background(), Peer{ID: "x", Addr: at[1].Addr()}, "echo", []byte("hello")); err == nil {
			t.Errorf("%s was told %q", at[0].opts.ID, got)
		}
	}
	for _, url := range []string{"http://" + a.Addr() + "/echo", "https://" + a.Addr() + "/echo"} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		res, err := client.Post(url, "", strings.NewReader("hello"))
		if err != nil {
			continue
		}
		if body, _ := io.ReadAll(res.Body); res.StatusCode == http.StatusOK || strings.Contains(string(body), "said") {
			t.Errorf("%s: %s %s", url, res.Status, body)
		}
		res.Body.Close()
	}
	if _, err := Listen("127.0.0.1:0", Options{Secret: []byte("short"), Logger: quiet}); err == nil {
		t.Error("a door with a short secret")
	}
}

// TestClose ends what is being answered.
func TestClose(t *testing.T) {
	b := open(t, "b", 1)
	a := open(t, "a", 1)
	begun := make(chan struct{})
	b.Handle("waits", func(ctx context.Context, _ string, _ []byte) ([]byte, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	done := make(chan error)
	go func() {
		_, err := a.Ask(context.Background(), Peer{ID: "b", Addr: b.Addr()}, "waits", nil)
		done <- err
	}()
	<-begun
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err == nil {
		t.Error("a door that was closed has answered")
	}
}
