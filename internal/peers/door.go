package peers

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/saltsql/saltsql/internal/guard"
)

const (
	maxBody    = 16 << 20 // bytes of a request, and of an answer
	maxConns   = 16       // to one peer
	maxServed  = 256      // connections that others have to this server
	idleAfter  = time.Minute
	dialWithin = time.Second
)

// Peer is another server of the store.
type Peer struct {
	ID   string // what its lease is named by
	Addr string // where its door is, HOST:PORT; empty where it has none
	Slot int    // its number among the servers, from 0; -1 of one that writes nothing
}

// Handler answers a request that peer sent. ctx ends with the asker's patience, or with the door.
type Handler func(ctx context.Context, from string, body []byte) ([]byte, error)

// Options say who asks, and how.
type Options struct {
	ID     string // this server's
	Secret []byte // the store's, of SecretSize
	Logger *slog.Logger
}

// Door asks other servers, and answers them. Its methods may be called at once.
type Door struct {
	opts   Options
	ln     net.Listener
	server *http.Server
	client *http.Client

	mu       sync.RWMutex
	handlers map[string]Handler
	served   sync.WaitGroup
}

// Listen opens a door at HOST:PORT; a port of 0 is any that is free. Close it.
func Listen(addr string, o Options) (*Door, error) {
	if len(o.Secret) != SecretSize {
		return nil, errors.New("peers: the secret has the wrong size")
	}
	cfg, err := config(o.Secret)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	d := &Door{opts: o, ln: tls.NewListener(netutil.LimitListener(ln, maxServed), cfg), handlers: map[string]Handler{}}
	d.server = &http.Server{
		Handler: http.HandlerFunc(d.serve), IdleTimeout: 2 * idleAfter, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	d.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: cfg.Clone(), MaxConnsPerHost: maxConns, MaxIdleConnsPerHost: maxConns, IdleConnTimeout: idleAfter,
		DialContext: (&net.Dialer{Timeout: dialWithin}).DialContext, TLSHandshakeTimeout: 5 * time.Second, DisableCompression: true,
	}}
	d.served.Go(func() {
		if err := guard.Run(func() error { return d.server.Serve(d.ln) }); !errors.Is(err, http.ErrServerClosed) {
			o.Logger.Error("peers: other servers are not heard any more", "error", err)
		}
	})
	return d, nil
}

// Addr is where others reach this server: where it listens, and for a host that is all of the
// machine's addresses the first that is not its loopback's.
func (d *Door) Addr() string {
	a := d.ln.Addr().(*net.TCPAddr)
	if !a.IP.IsUnspecified() {
		return a.String()
	}
	list, _ := net.InterfaceAddrs()
	for _, i := range list {
		if n, ok := i.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			return (&net.TCPAddr{IP: n.IP, Port: a.Port}).String()
		}
	}
	return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: a.Port}).String()
}

// Close ends what is asked and answered.
func (d *Door) Close() error {
	err := d.server.Close()
	d.served.Wait()
	d.client.CloseIdleConnections()
	return err
}

// Handle has h answer requests of a kind, a word of lower-case letters and dashes.
func (d *Door) Handle(kind string, h Handler) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handlers[kind] = h
}

// fromHeader is the ID of who asks, patienceHeader how long it waits for the answer.
const (
	fromHeader     = "Saltsql-From"
	patienceHeader = "Saltsql-Patience"
)

func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	d.mu.RLock()
	h := d.handlers[strings.TrimPrefix(r.URL.Path, "/")]
	d.mu.RUnlock()
	if h == nil || r.Method != http.MethodPost {
		http.Error(w, "this server does not know what is asked: it is of another release", http.StatusNotFound)
		return
	}
	ctx := r.Context()
	if patience, err := time.ParseDuration(r.Header.Get(patienceHeader)); err == nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var answer []byte
	err = guard.Run(func() (err error) {
		answer, err = h(ctx, r.Header.Get(fromHeader), body)
		return err
	})
	if err != nil {
		status := http.StatusInternalServerError
		if errors.Is(err, context.DeadlineExceeded) {
			status = http.StatusGatewayTimeout
		}
		d.opts.Logger.Warn("peers: another server's question failed", "kind", r.URL.Path, "error", err)
		http.Error(w, err.Error(), status)
		return
	}
	_, _ = w.Write(answer)
}

// Ask sends a request to a peer, and gives its answer, of 16 MB at most. Its error is
// context.DeadlineExceeded whichever side of the two saw first that the time is over.
func (d *Door) Ask(ctx context.Context, p Peer, kind string, body []byte) ([]byte, error) {
	answer, err := d.ask(ctx, p, kind, body)
	if err != nil {
		return nil, fmt.Errorf("asking server %s: %w", p.ID, err)
	}
	return answer, nil
}

func (d *Door) ask(ctx context.Context, p Peer, kind string, body []byte) ([]byte, error) {
	if p.Addr == "" {
		return nil, errors.New("it has no door: its --peers is off")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+p.Addr+"/"+kind, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set(fromHeader, d.opts.ID)
	if until, ok := ctx.Deadline(); ok {
		req.Header.Set(patienceHeader, time.Until(until).String())
	}
	res, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(answer) > maxBody:
		return nil, errors.New("its answer is too long")
	case res.StatusCode == http.StatusGatewayTimeout:
		return nil, context.DeadlineExceeded
	case res.StatusCode != http.StatusOK:
		return nil, errors.New(strings.TrimSpace(string(answer)))
	}
	return answer, nil
}

// Answer is what one peer said.
type Answer struct {
	Peer Peer
	Body []byte
	Err  error
}

// AskAll asks peers at once.
func (d *Door) AskAll(ctx context.Context, list []Peer, kind string, body []byte) []Answer {
	answers := make([]Answer, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() {
			answers[i].Peer = p
			answers[i].Err = guard.Run(func() (err error) {
				answers[i].Body, err = d.Ask(ctx, p, kind, body)
				return err
			})
		})
	}
	all.Wait()
	return answers
}
