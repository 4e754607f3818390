package versions

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/longlock"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// Rows of servers, on stores that several servers share:
//
//	server/9f3c01aa…/1b2c3d4e     c:server   {"now":1732,"seen":12,"slot":3}
//
// A server's row is a lease. It says that no write of this server under a
// catalog older than version seen is under way or will begin. It holds as long as the
// server renews it, which it does at each new version and four times per
// its lease; a server that could not renew it for three quarters of
// that stops its writes by itself. Others take a row that has not changed for as
// long as it says, by their own stopwatch, for that of a dead server. So nothing
// depends on two clocks showing one time, only on their running equally fast.
// The slot says which milliseconds are this server's: see takeSlot.
const (
	serverPrefix = "server/"
	ServerCell   = "server"
)

type ServerJSON struct {
	Now  int64  `json:"now"` // its clock when it wrote, ms since the Unix epoch
	Seen uint64 `json:"seen"`
	Slot int    `json:"slot"` // -1: it writes no rows
	// Join numbers the leases of the server that do not follow one another: see Lease.
	Join int64 `json:"join,omitempty"`
	// Lease is how long the row is a lease that does not change, ms; 0, of servers of before, is as
	// long as one's own.
	Lease int64 `json:"lease,omitempty"`
	// Listens are the channels of NOTIFY that sessions of this server listen to; ListensAll is for
	// more than its row should name.
	Listens    []string `json:"listens,omitempty"`
	ListensAll bool     `json:"listensAll,omitempty"`
	// Addr is where other servers reach its door, HOST:PORT; empty where it has none.
	Addr string `json:"addr,omitempty"`
	// Reads is the oldest version of the catalog that a statement of this server reads by.
	Reads uint64 `json:"reads"`
	// Marks is up to when, in µs by its clock, all marks that this server has made in indexes are of
	// writes that have ended; 0 is no statement.
	Marks int64 `json:"marks,omitempty"`
	// Connections counts those of roles that may have a number of them: see CountConnections.
	Connections map[uint32]int `json:"connections,omitempty"`

	Key string `json:"-"`
	TS  int64  `json:"-"`
}

// ID names the server.
func (s *ServerJSON) ID() string { return strings.TrimPrefix(s.Key, serverPrefix) }

// length is how long the row is a lease that does not change.
func (s *ServerJSON) length(own time.Duration) time.Duration {
	if s.Lease == 0 || !TheirLease.there() {
		return own
	}
	return time.Duration(s.Lease) * time.Millisecond
}

// member is this server among the servers of the store.
type member struct {
	mu    longlock.Mutex // held while the row is written
	ts    int64          // of the row's cell
	seen  uint64
	slot  int          // see takeSlot; -1: none yet
	since time.Time    // when it was taken
	addr  string       // of its door
	until atomic.Int64 // when our lease is over: since start, ns
	start time.Time
	left  bool // nothing writes the row any more

	count atomic.Pointer[func() map[uint32]int] // see CountConnections
	stale atomic.Bool                           // the row does not say what it gives

	others map[string]ServerJSON // as they were at the last look
	looked time.Time             // when it began
	still  map[string]observed   // of others, since when each row is as it is
	joins  atomic.Int64          // how often a lease began, other than by renewing one
	skew   atomic.Int64          // the largest difference found to a clock of theirs, ns

	clock atomic.Pointer[reading] // the last of the store's clock; nil: none, or this server's was wrong

	endMu sync.Mutex
	ended [clockSlots]slotEnd          // see Landed
	says  atomic.Pointer[func() int64] // see SayMarks

	liveMu sync.Mutex
	live   context.Context // ends when our lease does
	lapse  context.CancelFunc
	timer  *time.Timer
}

// leased says that this server's lease holds now.
func (m *member) leased() bool {
	return time.Since(m.start) < time.Duration(m.until.Load())
}

// fence says whether the lease that live is of holds, by the clock and not by live's timer.
func (m *member) fence(live context.Context) storage.Fence {
	return func() (time.Time, bool) {
		until := m.start.Add(time.Duration(m.until.Load()))
		return until, live.Err() == nil && time.Now().Before(until)
	}
}

// join takes a lease before the catalog is read: from now on whoever changes a
// table waits for us.
func (c shared) join(ctx context.Context) error {
	c.me.start, c.me.slot = time.Now(), -1
	return c.writeMember(ctx, 0)
}

// leave gives the lease up. If that fails, it runs out.
func (c shared) leave() {
	c.me.mu.Lock()
	defer c.me.mu.Unlock()
	c.me.left = true
	c.me.until.Store(0)
	c.endLease()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	c.forgetShapes(ctx)
	row := storage.RowMutation{Key: c.memberKey(), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
	if err := c.Table.Mutate(ctx, []storage.RowMutation{row}, storage.WriteOptions{}); err != nil {
		c.Options.Logger.Debug("catalog: this server's row is left", "err", err)
	}
}

func (c *Keeper) memberKey() []byte { return []byte(serverPrefix + c.Owner) }

// writeMember renews the lease. seen must hold. Where the lease has been over,
// others may have taken us for dead and changed tables without waiting: so it
// begins only when the catalog was read once more, with our row there again.
func (c *Keeper) writeMember(ctx context.Context, seen uint64) error {
	ctx = storage.Essential(ctx)
	if err := c.keepTime(ctx); err != nil {
		return err
	}
	m := &c.me
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		began := time.Now()
		lapsed := !m.leased()
		if lapsed {
			c.lapsed()
		}
		put := func() error {
			_, err := c.putMember(ctx, seen)
			return err
		}
		var err error
		if lapsed && c.as == Member {
			err = c.takeSlot(ctx, put)
		} else {
			err = put()
		}
		if err == nil && lapsed && c.Snapshot() != nil {
			_, err = c.Refresh(ctx)
		}
		if err != nil {
			return err
		}
		if !lapsed && !m.leased() {
			continue // it was over before the row was there
		}
		m.until.Store(int64(began.Sub(m.start) + c.Options.Lease*3/4))
		c.startLease(time.Until(began.Add(c.Options.Lease * 3 / 4)))
		return nil
	}
}

// putMember writes this server's row, and gives it: CodeClosed once it has left. m.mu is held.
func (c *Keeper) putMember(ctx context.Context, seen uint64) (row ServerJSON, err error) {
	m := &c.me
	if m.left {
		return row, storage.Errorf(storage.CodeClosed, storage.OpMutate, SystemTable, "this server has left the others")
	}
	row = ServerJSON{
		Now: c.Options.Now().UnixMilli(), Seen: seen, Slot: m.slot, Join: m.joins.Load(), Reads: c.oldestReadHere(), Lease: c.Options.Lease.Milliseconds(), Addr: m.addr,
		Connections: c.count(),
	}
	if on := c.on.Load(); on != nil {
		row.Listens, row.ListensAll = (*on)()
	}
	// Until then what the slot's server of before has sent may land, of which this one knows nothing.
	if says := m.says.Load(); says != nil && time.Since(m.since) >= c.Options.Lease {
		row.Marks = (*says)()
	}
	value, err := json.Marshal(row)
	if err != nil {
		return row, err
	}
	ts := c.nextTimestamp(m.ts)
	err = c.putRows(ctx, []storage.RowMutation{{Key: c.memberKey(), Mutations: []storage.Mutation{
		{Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(ServerCell), Timestamp: ts, Value: value},
	}}})
	if err == nil {
		m.ts, m.seen = ts, seen
		c.noteMarks(row)
	}
	return row, err
}

// startLease lets live last for d more.
func (c *Keeper) startLease(d time.Duration) {
	m := &c.me
	m.liveMu.Lock()
	defer m.liveMu.Unlock()
	if m.live == nil || m.live.Err() != nil || !m.timer.Reset(d) {
		if m.lapse != nil {
			m.lapse()
		}
		live, lapse := context.WithCancel(context.Background())
		m.live, m.lapse = live, lapse
		m.timer = time.AfterFunc(d, lapse)
	}
}

func (c *Keeper) endLease() {
	c.me.liveMu.Lock()
	defer c.me.liveMu.Unlock()
	if c.me.lapse != nil {
		c.me.timer.Stop()
		c.me.lapse()
	}
}

// beat tells what this server has seen, if it is new or time to renew the
// lease. Writes under older versions are waited for, but the lease is renewed
// meanwhile with what was seen before.
func (c *Keeper) beat(ctx context.Context) error {
	m := &c.me
	v := c.Snapshot().Version()
	m.mu.Lock()
	seen := m.seen
	left := time.Duration(m.until.Load()) - time.Since(m.start)
	m.mu.Unlock()
	if v > seen && !c.Gate.Drained(v) {
		v = seen
	}
	if v <= seen && left > c.Options.Lease/2 && !m.stale.Load() {
		return nil
	}
	if heed := c.heed.Load(); heed != nil {
		(*heed)()
	}
	if err := c.writeMember(ctx, max(v, seen)); err != nil {
		return err
	}
	return c.compareClocks(ctx)
}

// Heed has fn called before other servers are told that this one goes by a new version of the
// catalog: what fn does is done when their AwaitServers returns. It may be called at other times.
func (c *Keeper) Heed(fn func()) { c.heed.Store(&fn) }

// Live makes sure that this server's lease holds, so that what it knows of the
// catalog is not older than the others think. It costs a clock reading; after a
// time without contact to the store it costs two requests and fails with 57P03
// where there still is none.
func (c *Keeper) Live(ctx context.Context) error { return c.coord.live(ctx) }

func (c shared) live(ctx context.Context) error {
	if c.me.leased() {
		return nil
	}
	c.me.mu.Lock()
	seen := c.me.seen
	c.me.mu.Unlock()
	if err := c.writeMember(ctx, seen); err != nil {
		return lostTouch(ctx, err)
	}
	return nil
}

// lostTouch is what a client has of a store that does not let this server be a member.
func lostTouch(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return catalog.FromStorage(ctx.Err(), "reading the catalog")
	}
	if errors.Is(err, errClock) {
		return err
	}
	e := sqlerr.New(sqlerr.CannotConnectNow, "this server has lost touch with the catalog").
		WithHint("It works again by itself when the store answers.")
	e.Cause = err
	return e
}

// Others lists the rows of all servers but this one; none where it has the store to itself.
func (c *Keeper) Others(ctx context.Context) ([]ServerJSON, error) {
	list, err := c.coord.others(ctx)
	return list, catalog.FromStorage(err, "looking for other servers")
}

// Servers lists the rows of all servers but this one.
func (c *Keeper) Servers(ctx context.Context) ([]ServerJSON, error) {
	end := []byte(serverPrefix)
	end[len(end)-1]++
	req := &storage.ScanRequest{Spans: []storage.Span{{Start: []byte(serverPrefix), End: end}}}
	var list []ServerJSON
	err := RetryRead(ctx, func() error {
		list = list[:0]
		return storage.EachBatch(ctx, c.Table, req, func(b *storage.RowBatch) error {
			for i := range b.Len() {
				s := ServerJSON{Key: string(b.Key(i))}
				if strings.TrimPrefix(s.Key, serverPrefix) == c.Owner || b.NumCells(i) == 0 {
					continue
				}
				cell := b.Cell(i, 0)
				if err := json.Unmarshal(cell.Value, &s); err != nil {
					return catalog.Corrupt(s.Key, "%v", err)
				}
				s.TS = cell.Timestamp
				c.noteMarks(s)
				list = append(list, s)
			}
			return nil
		})
	})
	return list, err
}

// compareClocks holds the clocks of other servers against ours. A row from the
// future shows one that is ahead. One that is behind shows in a row that was
// written since the last look and says that it was before.
func (c *Keeper) compareClocks(ctx context.Context) error {
	began := c.Options.Now()
	list, err := c.Servers(ctx)
	if err != nil {
		return err
	}
	m := &c.me
	now := c.Options.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	var most time.Duration
	others := make(map[string]ServerJSON, len(list))
	for _, s := range list {
		others[s.Key] = s
		theirs := time.UnixMilli(s.Now)
		diff := theirs.Sub(now)
		if was, ok := m.others[s.Key]; ok && was.TS != s.TS && diff < 0 {
			diff = min(theirs.Sub(m.looked), 0)
		} else {
			diff = max(diff, 0)
		}
		if diff.Abs() > most.Abs() {
			most = diff
		}
	}
	c.slotsLeft(others)
	m.others, m.looked = others, began
	m.skew.Store(int64(most))
	switch limit := c.maxSkew(); {
	case most.Abs() > limit:
		c.Options.Logger.Error("catalog: the clocks of two servers differ too much; DDL is refused until they agree", "by", most, "limit", limit)
	case most.Abs() > warnSkew:
		c.Options.Logger.Warn("catalog: the clocks of two servers differ; TTL and older versions of rows go by the clock of the server that wrote them", "by", most)
	}
	return nil
}

// maxSkew is what slotEnd can bear, which compares times of two servers.
func (c *Keeper) maxSkew() time.Duration { return c.Options.Lease / 4 }

// CheckSkew refuses DDL where clocks differ by more than maxSkew.
func (c *Keeper) CheckSkew() error {
	skew := time.Duration(c.me.skew.Load())
	if skew.Abs() <= c.maxSkew() {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisite, "the clocks of this server and of another one differ by %v", skew.Abs().Round(time.Millisecond)).
		WithDetail("Changes of the catalog need clocks that agree to %v.", c.maxSkew()).
		WithHint("Set the servers' clocks by NTP; the check is repeated every %v.", c.Options.Lease/4)
}
