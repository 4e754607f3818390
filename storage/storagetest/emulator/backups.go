package emulator

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Backups plays the part of the service that the emulator has not: it keeps copies of tables, and
// makes tables of them. Each is done when the request is answered.
type Backups struct {
	// Fail, where set, may fail a request about backups, before or after it was done.
	Fail func(method string, after bool) error

	t    testing.TB
	conn *grpc.ClientConn
	mu   sync.Mutex
	kept map[string]*kept
}

type kept struct {
	backup *adminpb.Backup
	table  *adminpb.Table
	rows   []*bigtablepb.MutateRowRequest // that make them
}

// StartWithBackups is Start of an emulator that has backups, of the tables of all instances.
func StartWithBackups(t testing.TB) (addr string, b *Backups) {
	t.Helper()
	b = &Backups{t: t, kept: map[string]*kept{}}
	addr = Start(t, grpc.UnaryInterceptor(b.intercept))
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessageBytes), grpc.MaxCallSendMsgSize(MaxMessageBytes)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	b.conn = conn
	return addr, b
}

func (b *Backups) intercept(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	var do func() (proto.Message, error)
	switch r := req.(type) {
	case *adminpb.CreateBackupRequest:
		do = func() (proto.Message, error) { return b.create(ctx, r) }
	case *adminpb.RestoreTableRequest:
		do = func() (proto.Message, error) { return b.restore(ctx, r) }
	case *adminpb.ListBackupsRequest:
		do = func() (proto.Message, error) { return b.list(r), nil }
	case *adminpb.DeleteBackupRequest:
		do = func() (proto.Message, error) { return b.remove(r) }
	default:
		return next(ctx, req)
	}
	method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
	if err := b.fail(method, false); err != nil {
		return nil, err
	}
	m, err := do()
	if err == nil {
		err = b.fail(method, true)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (b *Backups) fail(method string, after bool) error {
	if b.Fail == nil {
		return nil
	}
	return b.Fail(method, after)
}

// done is an operation that has ended.
func done(m proto.Message) (proto.Message, error) {
	result, err := anypb.New(m)
	if err != nil {
		return nil, err
	}
	return &longrunningpb.Operation{Name: "operations/done", Done: true, Result: &longrunningpb.Operation_Response{Response: result}}, nil
}

// read gives the rows of a table.
func (b *Backups) read(ctx context.Context, table string) (rows []*bigtablepb.MutateRowRequest, err error) {
	stream, err := bigtablepb.NewBigtableClient(b.conn).ReadRows(ctx, &bigtablepb.ReadRowsRequest{TableName: table})
	if err != nil {
		return nil, err
	}
	row, cell := &bigtablepb.MutateRowRequest{}, &bigtablepb.Mutation_SetCell{}
	for {
		m, err := stream.Recv()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		for _, c := range m.Chunks { // of a cell each
			if len(c.RowKey) > 0 {
				row.RowKey = c.RowKey
			}
			next := &bigtablepb.Mutation_SetCell{FamilyName: cell.FamilyName, ColumnQualifier: cell.ColumnQualifier, TimestampMicros: c.TimestampMicros, Value: c.Value}
			if c.FamilyName != nil {
				next.FamilyName = c.FamilyName.Value
			}
			if c.Qualifier != nil {
				next.ColumnQualifier = c.Qualifier.Value
			}
			cell = next
			row.Mutations = append(row.Mutations, &bigtablepb.Mutation{Mutation: &bigtablepb.Mutation_SetCell_{SetCell: cell}})
			if c.GetCommitRow() {
				rows, row = append(rows, row), &bigtablepb.MutateRowRequest{}
			}
		}
	}
}

func (b *Backups) create(ctx context.Context, r *adminpb.CreateBackupRequest) (proto.Message, error) {
	name, now := r.Parent+"/backups/"+r.BackupId, time.Now()
	if expires := r.Backup.ExpireTime.AsTime(); expires.Before(now.Add(6*time.Hour)) || expires.After(now.Add(90*24*time.Hour)) {
		return nil, status.Error(codes.InvalidArgument, "the expiry of a backup is 6 hours to 90 days from now")
	}
	b.mu.Lock()
	_, there := b.kept[name]
	b.mu.Unlock()
	if there {
		return nil, status.Errorf(codes.AlreadyExists, "backup %s exists", name)
	}
	table, err := adminpb.NewBigtableTableAdminClient(b.conn).GetTable(ctx, &adminpb.GetTableRequest{Name: r.Backup.SourceTable, View: adminpb.Table_SCHEMA_VIEW})
	if err != nil {
		return nil, err
	}
	k := &kept{table: table}
	if k.rows, err = b.read(ctx, r.Backup.SourceTable); err != nil {
		return nil, err
	}
	k.backup = proto.Clone(r.Backup).(*adminpb.Backup)
	k.backup.Name, k.backup.State, k.backup.EncryptionInfo = name, adminpb.Backup_READY, &adminpb.EncryptionInfo{}
	k.backup.StartTime, k.backup.EndTime, k.backup.SizeBytes = timestamppb.New(now), timestamppb.Now(), int64(len(k.rows))
	b.mu.Lock()
	b.kept[name] = k
	b.mu.Unlock()
	return done(k.backup)
}

func (b *Backups) list(r *adminpb.ListBackupsRequest) proto.Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := &adminpb.ListBackupsResponse{}
	for name, k := range b.kept {
		if strings.HasPrefix(name, r.Parent+"/backups/") {
			out.Backups = append(out.Backups, k.backup)
		}
	}
	slices.SortFunc(out.Backups, func(a, b *adminpb.Backup) int { return strings.Compare(b.Name, a.Name) })
	return out
}

func (b *Backups) remove(r *adminpb.DeleteBackupRequest) (proto.Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept[r.Name] == nil {
		return nil, status.Errorf(codes.NotFound, "backup %s does not exist", r.Name)
	}
	delete(b.kept, r.Name)
	return &emptypb.Empty{}, nil
}

func (b *Backups) restore(ctx context.Context, r *adminpb.RestoreTableRequest) (proto.Message, error) {
	b.mu.Lock()
	k := b.kept[r.GetBackup()]
	b.mu.Unlock()
	if k == nil {
		return nil, status.Errorf(codes.NotFound, "backup %s does not exist", r.GetBackup())
	}
	table, err := adminpb.NewBigtableTableAdminClient(b.conn).CreateTable(ctx, &adminpb.CreateTableRequest{
		Parent: r.Parent, TableId: r.TableId, Table: &adminpb.Table{ColumnFamilies: k.table.ColumnFamilies},
	})
	if err != nil {
		return nil, err
	}
	for _, row := range k.rows {
		row = proto.Clone(row).(*bigtablepb.MutateRowRequest)
		row.TableName = table.Name
		if _, err := bigtablepb.NewBigtableClient(b.conn).MutateRow(ctx, row); err != nil {
			return nil, err
		}
	}
	return done(table)
}
