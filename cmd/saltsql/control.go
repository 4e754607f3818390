package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage/pebble"
)

// A server on an embedded store listens on a socket in the store's folder, for who may
// read that folder anyway:
//
//	> checkpoint                       one line
//	< {"folder": "/…/checkpoints/1"}   or {"error": "…"}
//	  …                                the folder is there while the connection is open
//
// So a backup that dies leaves nothing behind, and one whose server dies finds its files gone.
const controlSocket = "saltsql.control"

type controlAnswer struct {
	Folder string `json:"folder,omitempty"`
	Error  string `json:"error,omitempty"`
}

// control answers on the socket of a store.
type control struct {
	store *pebble.Store
	log   *slog.Logger
	ln    net.Listener
	wg    sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil: closed
}

// listenControl begins to answer. Nobody else has the store open, so that a socket that is
// there is one that a dead process left.
func listenControl(store *pebble.Store, log *slog.Logger) (*control, error) {
	c := &control{store: store, log: log, conns: map[net.Conn]struct{}{}}
	err := inFolder(store.Path(), func(dir string) (err error) {
		path := filepath.Join(dir, controlSocket)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if c.ln, err = net.Listen("unix", path); err != nil {
			return err
		}
		c.ln.(*net.UnixListener).SetUnlinkOnClose(false) // the path may be gone by then
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		return nil, err
	}
	c.wg.Go(func() { guard.Logged(c.log, "listening on the control socket", c.accept) })
	return c, nil
}

func (c *control) accept() {
	for {
		conn, err := c.ln.Accept()
		if err != nil {
			return
		}
		c.mu.Lock()
		if c.conns != nil {
			c.conns[conn] = struct{}{}
			c.wg.Go(func() { guard.Logged(c.log, "answering on the control socket", func() { c.answer(conn) }) })
		} else {
			conn.Close()
		}
		c.mu.Unlock()
	}
}

func (c *control) answer(conn net.Conn) {
	defer func() {
		conn.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.conns, conn)
	}()
	r := bufio.NewReader(io.LimitReader(conn, 4<<10))
	line, err := r.ReadString('\n')
	if err != nil {
		return
	}
	if line != "checkpoint\n" {
		_ = json.NewEncoder(conn).Encode(controlAnswer{Error: fmt.Sprintf("this version of saltsql does not know %q", line)})
		return
	}
	dir, release, err := c.store.HoldCheckpoint(context.Background())
	if err != nil {
		_ = json.NewEncoder(conn).Encode(controlAnswer{Error: describe(err)})
		return
	}
	defer func() {
		if err := release(); err != nil {
			c.log.Warn("a checkpoint is not removed", "folder", dir, "error", err)
		}
	}()
	c.log.Info("a backup has begun", "checkpoint", dir)
	if json.NewEncoder(conn).Encode(controlAnswer{Folder: dir}) == nil {
		_, _ = r.ReadByte() // until the other side goes
	}
	c.log.Info("a backup has ended", "checkpoint", dir)
}

// close ends the backups that run.
func (c *control) close() {
	c.ln.Close()
	c.mu.Lock()
	for conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
	c.mu.Unlock()
	c.wg.Wait()
	_ = os.Remove(filepath.Join(c.store.Path(), controlSocket))
}

// errNoServer says that nobody answers for a store.
var errNoServer = errors.New("no server has the store open")

// askCheckpoint has the server of the store in dir make a checkpoint, which is there until
// release.
func askCheckpoint(dir string) (folder string, release func(), err error) {
	var conn net.Conn
	err = inFolder(dir, func(dir string) (err error) {
		conn, err = net.Dial("unix", filepath.Join(dir, controlSocket))
		return err
	})
	if err != nil {
		return "", nil, errors.Join(errNoServer, err)
	}
	var a controlAnswer
	if _, err = io.WriteString(conn, "checkpoint\n"); err == nil {
		err = json.NewDecoder(conn).Decode(&a)
	}
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	if err != nil {
		conn.Close()
		return "", nil, fmt.Errorf("the server of %s did not make a checkpoint: %w", dir, err)
	}
	return a.Folder, func() { conn.Close() }, nil
}
