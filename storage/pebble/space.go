package pebble

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql/storage"
)

// space keeps a reserve of the disk free: a log that cannot be written ends the
// process, so writes are refused before. Deletes and the catalog's own small
// writes may use most of the reserve, so that space can be freed:
//
//	free ≥ reserve            all goes on
//	reserve > free ≥ 1/8      DELETE, DROP, TRUNCATE and the catalog go on
//	below                     reads, and the store's own DropTable and Truncate
//
// A write takes its bytes from left; the file system is asked when that is used
// up, and each second.
type space struct {
	fs      vfs.FS
	dir     string
	reserve int64 // bytes
	blind   bool  // nothing is kept: only refusals of the file system count
	log     *slog.Logger

	left  atomic.Int64 // bytes until the next look
	until atomic.Int64 // Unix nanoseconds

	mu      sync.Mutex
	free    int64
	refused bool // the file system refused a write: statfs does not know quotas
	full    bool // logged
}

const (
	defaultReserve = 512 << 20
	reserveShare   = 20 // and not above 1/20 of the disk
	lookBytes      = 32 << 20
	lookEvery      = time.Second
	deleteShare    = 8
	probeBytes     = 1 << 20
	probeName      = "saltsql.probe"
)

func (s *space) open(fs vfs.FS, dir string, reserve int64, log *slog.Logger) {
	s.fs, s.dir, s.log = fs, dir, log
	if reserve < 0 {
		s.blind = true
		return
	}
	s.reserve = reserve
	if reserve == 0 {
		s.reserve = defaultReserve
		if u, err := fs.GetDiskUsage(dir); err == nil {
			s.reserve = min(s.reserve, int64(min(u.TotalBytes, math.MaxInt64))/reserveShare)
		}
	}
}

// note hears of every error of the file system.
func (s *space) note(err error) {
	if !noSpace(err) {
		return
	}
	s.mu.Lock()
	s.refused = true
	s.mu.Unlock()
	s.left.Store(0)
}

// allow takes n bytes for a write, or answers CodeDiskFull.
func (s *space) allow(ctx context.Context, op, table string, n int64, deletes bool) error {
	if s.left.Add(-n) >= 0 && time.Now().UnixNano() < s.until.Load() {
		return nil
	}
	return s.look(ctx, op, table, n, deletes)
}

func (s *space) look(ctx context.Context, op, table string, n int64, deletes bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := s.fs.GetDiskUsage(s.dir)
	if err != nil || s.blind { // unknown: nothing to go by but refusals
		u.AvailBytes = math.MaxInt64
	}
	s.free = int64(min(u.AvailBytes, math.MaxInt64))
	if s.refused && s.probe() {
		s.refused = false
	}
	above := s.free - s.reserve
	if above < n || s.refused {
		s.left.Store(0)
		if !s.full {
			s.full = true
			s.log.Error("pebble: the disk is full: writes are refused until there is space", "folder", s.dir, "free", s.free, "reserve", s.reserve)
		}
		if (deletes || storage.IsEssential(ctx)) && s.free-s.reserve/deleteShare >= n {
			return nil
		}
		return s.error(op, table, n)
	}
	if s.full {
		s.full = false
		s.log.Info("pebble: there is space on the disk again: writes go on", "folder", s.dir, "free", s.free)
	}
	s.left.Store(min(above-n, lookBytes))
	s.until.Store(time.Now().Add(lookEvery).UnixNano())
	return nil
}

// probe says whether the file system takes a file again.
func (s *space) probe() bool {
	path := s.fs.PathJoin(s.dir, probeName)
	f, err := s.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return false
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	_ = s.fs.Remove(path)
	return err == nil
}

func (s *space) error(op, table string, n int64) error {
	what := fmt.Sprintf("%d bytes are free and %d are needed", s.free, s.reserve+n)
	if s.free == math.MaxInt64 || s.free-s.reserve >= n {
		what = fmt.Sprintf("the file system refuses to take %d bytes more, as where a quota is used up", n)
	}
	e := storage.Errorf(storage.CodeDiskFull, op, table, "disk full: in %s %s", s.dir, what)
	e.Hint = "Free space on the disk, or make room with DELETE, TRUNCATE or DROP TABLE, which go on as reads do. Writes work again once there is space."
	return e
}

// Space tells of the store's disk: how many bytes are free, below which number writes are refused, and
// whether they are. All is 0 where the file system does not say.
func (s *Store) Space() (free, reserve uint64, refuses bool) {
	u, err := s.opts.FS.GetDiskUsage(s.path)
	if err != nil {
		return 0, 0, s.space.low()
	}
	return u.AvailBytes, uint64(s.space.reserve), s.space.low()
}

// low says that the last look found less than the reserve.
func (s *space) low() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full
}
