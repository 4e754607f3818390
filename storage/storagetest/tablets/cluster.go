package tablets

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// Options say how often requests fail. 0 is never.
type Options struct {
	Reads       int // one of so many streams of rows breaks
	Writes      int // one of so many requests of MutateRows and MutateRow fails, in part or as a whole
	Conditional int // one of so many CheckAndMutateRow fails before it is applied
}

// Cluster is the tablets of all tables of a server.
type Cluster struct {
	options Options

	mu     sync.Mutex
	seed   uint64
	moves  uint64
	made   map[uint64]uint64 // requests since Restart, by what they ask for
	tables map[string]*layout
	stop   *stop
	counts Counts
}

// Counts is what a Cluster has done.
type Counts struct {
	Streams int // of ReadRows
	Broken  int // of them
	Scanned int // messages with a scanned key only
	Refused int // entries and requests that were not applied
	Lost    int // answers to applied requests
	Moves   int // splits and merges
}

// New makes a cluster whose tables have one tablet each, apart from what they
// are created with.
func New(o Options) *Cluster {
	return &Cluster{options: o, made: map[uint64]uint64{}, tables: map[string]*layout{}}
}

// Restart forgets all that has happened: from here on, the same requests have
// the same fates. Tables are one tablet again.
func (c *Cluster) Restart(seed uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seed, c.moves = seed, 0
	clear(c.made)
	clear(c.tables)
}

// Counts gives what has happened since New.
func (c *Cluster) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

func (c *Cluster) count(f func(*Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.counts)
}

// Move lets some tablets split and some merge.
func (c *Cluster) Move() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moves++
	names := make([]string, 0, len(c.tables))
	for name := range c.tables {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		r := rand.New(rand.NewPCG(c.seed, c.moves<<16+uint64(i)))
		for range r.IntN(4) {
			if c.tables[name].move(r) {
				c.counts.Moves++
			}
		}
	}
}

// SetSplits cuts a table into tablets. The table's name is the short one.
func (c *Cluster) SetSplits(table string, splits [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table(table).set(splits)
}

// Splits gives a table's split points.
func (c *Cluster) Splits(table string) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.table(table).splits)
}

// Keys gives keys of rows that a table has seen, ascending; at most 256.
func (c *Cluster) Keys(table string) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out [][]byte
	for _, k := range c.table(table).keys() {
		if len(out) < mostSeen {
			out = append(out, []byte(k))
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return out
}

// table needs c.mu.
func (c *Cluster) table(name string) *layout {
	name = short(name)
	l := c.tables[name]
	if l == nil {
		l = &layout{seen: map[string]struct{}{}}
		c.tables[name] = l
	}
	return l
}

func short(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// saw notes keys of a table: where tablets may split.
func (c *Cluster) saw(table string, keys ...[]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.table(table)
	for _, k := range keys {
		l.saw(k)
	}
}

// fortune is the randomness of one request: of the seed, of the keys that the
// request is about, and of how often the same one was made.
func (c *Cluster) fortune(parts ...[]byte) *rand.Rand {
	h := fnv.New64a()
	for _, p := range parts {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	key := h.Sum64()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made[key]++
	return rand.New(rand.NewPCG(c.seed^c.made[key]<<32, key))
}

// ServerOptions are the interceptors for the emulator's server.
func (c *Cluster) ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(c.unary), grpc.ChainStreamInterceptor(c.stream)}
}

func (c *Cluster) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	switch info.FullMethod {
	case bigtablepb.Bigtable_ReadRows_FullMethodName:
		return c.readRows(srv, ss, next)
	case bigtablepb.Bigtable_MutateRows_FullMethodName:
		return c.mutateRows(srv, ss, next)
	case bigtablepb.Bigtable_SampleRowKeys_FullMethodName:
		return c.sampleRowKeys(srv, ss, next)
	}
	return next(srv, ss)
}

func (c *Cluster) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	switch m := req.(type) {
	case *bigtablepb.MutateRowRequest:
		return c.mutateRow(ctx, m, next)
	case *bigtablepb.CheckAndMutateRowRequest:
		c.saw(m.TableName, m.RowKey)
		if err := c.conditional(m.RowKey); err != nil {
			return nil, err
		}
	case *adminpb.CreateTableRequest:
		var splits [][]byte
		for _, s := range m.InitialSplits {
			splits = append(splits, s.Key)
		}
		c.SetSplits(m.TableId, splits)
	case *adminpb.DeleteTableRequest:
		resp, err := next(ctx, req)
		if err == nil {
			c.mu.Lock()
			delete(c.tables, short(m.Name))
			c.mu.Unlock()
		}
		return resp, err
	}
	return next(ctx, req)
}

// wantsScanned says that the client has announced that it understands messages
// with a scanned key only.
func wantsScanned(ctx context.Context) bool {
	md, _ := metadata.FromIncomingContext(ctx)
	for _, v := range md.Get("bigtable-features") {
		raw, err := base64.URLEncoding.DecodeString(v)
		if err != nil {
			raw, err = base64.RawURLEncoding.DecodeString(v)
		}
		var flags bigtablepb.FeatureFlags
		if err == nil && proto.Unmarshal(raw, &flags) == nil && flags.LastScannedRowResponses {
			return true
		}
	}
	return false
}
