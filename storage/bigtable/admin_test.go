package bigtable

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/storage"
)

// TestPages has the service list tables and backups in pages.
func TestPages(t *testing.T) {
	ctx := context.Background()
	page := func(token string, n int) (at int, next string) {
		fmt.Sscan(token, &at)
		if at+1 < n {
			next = fmt.Sprint(at + 1)
		}
		return at, next
	}
	s := openEmulator(t, Config{}, grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if r, ok := req.(*adminpb.ListBackupsRequest); ok {
			at, token := page(r.PageToken, 3)
			return &adminpb.ListBackupsResponse{NextPageToken: token, Backups: []*adminpb.Backup{{Name: fmt.Sprint(r.Parent, "/backups/b", at), SourceTable: "projects/p/instances/i/tables/t"}}}, nil
		}
		m, err := next(ctx, req)
		if r, ok := m.(*adminpb.ListTablesResponse); ok {
			at, token := page(req.(*adminpb.ListTablesRequest).PageToken, len(r.Tables))
			slices.SortFunc(r.Tables, func(a, b *adminpb.Table) int { return strings.Compare(a.Name, b.Name) })
			r.Tables, r.NextPageToken = r.Tables[at:at+1], token
		}
		return m, err
	}))
	for i := range 3 {
		if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: fmt.Sprint("t", i), Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := s.Admin().Tables(ctx); err != nil || len(all) != 3 || all[2].Name != "t2" {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := s.Backups(ctx, "c"); err != nil || len(all) != 3 || all[2].ID != "b2" || all[2].Table != "t" || all[2].Ready {
		t.Errorf("%v, %v", all, err)
	}
}
