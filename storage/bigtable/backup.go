package bigtable

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/iterator"

	"github.com/saltsql/saltsql/storage"
)

// backupTimeout bounds the making of a backup, or of a table from one: the service copies
// terabytes meanwhile.
const backupTimeout = 24 * time.Hour

// Backup is a backup of one table, which the service keeps in a cluster.
type Backup struct {
	ID, Table  string
	Bytes      int64
	Start, End time.Time // the rows are those of a moment between
	Expires    time.Time
	Ready      bool // it can be restored
}

// backupCall makes one request about backups.
func (s *Store) backupCall(ctx context.Context, op, table string, timeout time.Duration, f func(*call) error) error {
	return s.permitted(ctx, op, table, timeout, "Backups need the role Bigtable Administrator, or bigtable.backups.* permissions.", f)
}

// CreateBackup has the service back a table up into a cluster of the instance, and waits until
// it is ready. id has at most 50 letters, digits, - _ and points; the service takes an expiry
// from 6 hours to 90 days from now, and removes the backup then.
func (s *Store) CreateBackup(ctx context.Context, table, cluster, id string, expires time.Time) error {
	return s.backupCall(ctx, storage.OpBackup, table, backupTimeout, func(c *call) error {
		return s.admin.CreateBackup(c, table, cluster, id, expires)
	})
}

// Backups lists the backups that a cluster of the instance keeps.
func (s *Store) Backups(ctx context.Context, cluster string) (list []Backup, err error) {
	err = s.backupCall(ctx, storage.OpBackup, "", s.config.AdminTimeout, func(c *call) error {
		it := s.admin.Backups(c, cluster)
		for {
			b, err := it.Next()
			if errors.Is(err, iterator.Done) {
				return nil
			}
			if err != nil {
				return err
			}
			list = append(list, backupOf(b))
		}
	})
	return list, err
}

func backupOf(b *bigtable.BackupInfo) Backup {
	return Backup{
		ID: b.Name, Table: b.SourceTable, Bytes: b.SizeBytes, Start: b.StartTime, End: b.EndTime, Expires: b.ExpireTime,
		Ready: b.State == "READY",
	}
}

// DeleteBackup removes a backup.
func (s *Store) DeleteBackup(ctx context.Context, cluster, id string) error {
	return s.backupCall(ctx, storage.OpBackup, "", s.config.AdminTimeout, func(c *call) error {
		return s.admin.DeleteBackup(c, cluster, id)
	})
}

// RestoreBackup makes a table, which must not exist, of a backup that a cluster of an instance of
// the same project keeps, and waits until it can be read and written.
func (s *Store) RestoreBackup(ctx context.Context, table, instance, cluster, id string) error {
	return s.backupCall(ctx, storage.OpRestore, table, backupTimeout, func(c *call) error {
		return s.admin.RestoreTableFrom(c, instance, table, cluster, id)
	})
}

// Config is what the store was opened with.
func (s *Store) Config() Config { return s.config }
