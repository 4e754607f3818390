package versions

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// Rows of letters, by which a server tells another what it could not tell it by its door:
//
//	mail/9f3c01aa…/1b2c3d4e/5d6e7f80…/9a0b1c2d/0000000000000007     c:mail     what the session has made of it
//
// The first server is the one that reads them, in the order of their keys, and removes them. Those to
// servers that are no more, and those that nobody has taken for an hour, are removed by any.
const (
	mailPrefix = "mail/"
	mailCell   = "mail"
	mailKept   = time.Hour
)

// PutMail puts a letter for a server, under a name that orders it among those of this one.
func (c *Keeper) PutMail(ctx context.Context, to, name string, value []byte) error {
	return c.putRows(ctx, []storage.RowMutation{{Key: fmt.Appendf(nil, "%s%s/%s/%s", mailPrefix, to, c.Owner, name), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(mailCell), Timestamp: c.nextTimestamp(0), Value: value,
	}}}})
}

// ReadMail shows the letters for this server, and removes those for which read gives true; false
// ends it.
func (c *Keeper) ReadMail(ctx context.Context, read func(value []byte) (bool, error)) error {
	var gone []string
	ended := false
	err := storage.EachBatch(ctx, c.Table, mailRequest(c.Owner+"/"), func(b *storage.RowBatch) (err error) {
		for i := 0; i < b.Len() && !ended; i++ {
			value, _ := b.Value(i, SystemFamily, []byte(mailCell))
			ok, err := read(value)
			if ended = !ok; err != nil || !ok {
				return err
			}
			gone = append(gone, string(b.Key(i)))
		}
		return nil
	})
	c.DeleteRows(ctx, gone)
	return catalog.FromStorage(err, "reading what other servers have left for this one")
}

// SweepMail removes letters to servers that are no more, and old ones, and gives the servers that
// there are.
func (c *Keeper) SweepMail(ctx context.Context) (servers map[string]bool, err error) {
	var keys []string
	var sent []int64
	err = storage.EachBatch(ctx, c.Table, mailRequest(""), func(b *storage.RowBatch) error {
		for i := range b.Len() {
			keys = append(keys, string(b.Key(i)))
			sent = append(sent, b.Cell(i, 0).Timestamp)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Read after the rows: who a letter is for was there before.
	if servers, err = c.otherServers(ctx); err != nil {
		return nil, err
	}
	servers[c.Owner] = true
	var gone []string
	old := c.Options.Now().Add(-mailKept).UnixMicro()
	for i, key := range keys {
		to := strings.SplitN(strings.TrimPrefix(key, mailPrefix), "/", 3)
		if len(to) == 3 && !servers[to[0]+"/"+to[1]] || sent[i] < old {
			gone = append(gone, key)
		}
	}
	if len(gone) > 0 {
		c.Options.Logger.Info("catalog: letters that nobody has taken are removed", "letters", len(gone))
	}
	c.DeleteRows(ctx, gone)
	return servers, nil
}

func mailRequest(to string) *storage.ScanRequest {
	start := []byte(mailPrefix + to)
	end := append([]byte(nil), start...)
	end[len(end)-1]++
	return &storage.ScanRequest{Spans: []storage.Span{{Start: start, End: end}}}
}
