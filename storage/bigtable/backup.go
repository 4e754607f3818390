package bigtable

import (
	"context"
	"path"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/longrunning"
	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/protobuf/types/known/timestamppb"

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

// backupsOf gives the path of a cluster's backups, of an instance of the store's project.
func (s *Store) backupsOf(instance, cluster string) string {
	return "projects/" + s.config.Project + "/instances/" + instance + "/clusters/" + cluster
}

// wait waits for an operation that the service has begun.
func (s *Store) wait(c *call, op *longrunningpb.Operation, err error) error {
	if err != nil {
		return err
	}
	return longrunning.InternalNewOperation(s.operations, op).Wait(c, nil)
}

// CreateBackup has the service back a table up into a cluster of the instance, and waits until
// it is ready. id has at most 50 letters, digits, - _ and points; the service takes an expiry
// from 6 hours to 90 days from now, and removes the backup then.
func (s *Store) CreateBackup(ctx context.Context, table, cluster, id string, expires time.Time) error {
	return s.backupCall(ctx, storage.OpBackup, table, backupTimeout, func(c *call) error {
		op, err := s.tables.CreateBackup(c, &adminpb.CreateBackupRequest{Parent: s.backupsOf(s.config.Instance, cluster), BackupId: id,
			Backup: &adminpb.Backup{SourceTable: s.tablePath(table), ExpireTime: timestamppb.New(expires)}})
		return s.wait(c, op, err)
	})
}

// Backups lists the backups that a cluster of the instance keeps.
func (s *Store) Backups(ctx context.Context, cluster string) (list []Backup, err error) {
	err = s.backupCall(ctx, storage.OpBackup, "", s.config.AdminTimeout, func(c *call) error {
		for req := (&adminpb.ListBackupsRequest{Parent: s.backupsOf(s.config.Instance, cluster)}); ; {
			page, err := ask(c, c, s.tables.ListBackups, req)
			if err != nil {
				return err
			}
			for _, b := range page.Backups {
				list = append(list, backupOf(b))
			}
			if req.PageToken = page.NextPageToken; req.PageToken == "" {
				return nil
			}
		}
	})
	return list, err
}

func backupOf(b *adminpb.Backup) Backup {
	return Backup{
		ID: path.Base(b.Name), Table: path.Base(b.SourceTable), Bytes: b.SizeBytes,
		Start: b.StartTime.AsTime(), End: b.EndTime.AsTime(), Expires: b.ExpireTime.AsTime(), Ready: b.State == adminpb.Backup_READY,
	}
}

// DeleteBackup removes a backup.
func (s *Store) DeleteBackup(ctx context.Context, cluster, id string) error {
	return s.backupCall(ctx, storage.OpBackup, "", s.config.AdminTimeout, func(c *call) error {
		_, err := s.tables.DeleteBackup(c, &adminpb.DeleteBackupRequest{Name: s.backupsOf(s.config.Instance, cluster) + "/backups/" + id})
		return err
	})
}

// RestoreBackup makes a table, which must not exist, of a backup that a cluster of an instance of
// the same project keeps, and waits until it can be read and written.
func (s *Store) RestoreBackup(ctx context.Context, table, instance, cluster, id string) error {
	return s.backupCall(ctx, storage.OpRestore, table, backupTimeout, func(c *call) error {
		op, err := s.tables.RestoreTable(c, &adminpb.RestoreTableRequest{Parent: s.instance, TableId: table,
			Source: &adminpb.RestoreTableRequest_Backup{Backup: s.backupsOf(instance, cluster) + "/backups/" + id}})
		return s.wait(c, op, err)
	})
}

// Config is what the store was opened with.
func (s *Store) Config() Config { return s.config }
