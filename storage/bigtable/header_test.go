package bigtable

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestHeaders sees by what the service routes requests, that an attempt brings back the cookies
// of the one before, and that each connection is warmed.
func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	got := map[string][]metadata.MD{}
	warmed := map[string]bool{}
	saw := func(ctx context.Context, method string) (first bool) {
		mu.Lock()
		defer mu.Unlock()
		md, _ := metadata.FromIncomingContext(ctx)
		method = method[strings.LastIndex(method, "/")+1:]
		got[method] = append(got[method], md)
		if from, ok := peer.FromContext(ctx); ok && method == "PingAndWarm" {
			warmed[from.Addr.String()] = true
		}
		return len(got[method]) == 1
	}
	cookie := func(name string) metadata.MD { return metadata.Pairs(cookiePrefix+name, name, "other", name) }
	addr := emulator.Start(t, grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if saw(ctx, info.FullMethod) && strings.HasSuffix(info.FullMethod, "/MutateRow") {
			grpc.SetTrailer(ctx, cookie("single"))
			return nil, status.Error(codes.ResourceExhausted, "quota")
		}
		return next(ctx, req)
	}), grpc.StreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
		if saw(ss.Context(), info.FullMethod) {
			ss.SetHeader(cookie("head"))
			ss.SetTrailer(cookie("trailer"))
			if strings.HasSuffix(info.FullMethod, "/MutateRows") {
				return status.Error(codes.ResourceExhausted, "quota")
			}
			return status.Error(codes.Unavailable, "a tablet moved")
		}
		return next(srv, ss)
	}))
	t.Setenv(emulatorEnv, "")
	config := poolConfig()
	config.Project, config.Instance, config.AppProfile = "p", "i", "a/b"
	config.ClientOptions = append(config.ClientOptions, option.WithEndpoint(addr), option.WithGRPCConnectionPool(3))
	ctx := context.Background()
	s, err := Open(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	tb := s.Table("t")
	for _, n := range []int{1, 2} {
		if err := tb.Mutate(ctx, someRows(n), storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tb.CheckAndMutate(ctx, &storage.CondMutation{Key: []byte("c"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: put("", "q", "x").Mutations}); err != nil {
		t.Fatal(err)
	}
	if keys := keysOf(t, tb, storage.ScanRequest{Spans: []storage.Span{{}}}); len(keys) != 3 {
		t.Fatalf("%q", keys)
	}
	if _, err := tb.Tablets(ctx, storage.Span{}); err != nil {
		t.Fatal(err)
	}
	all := func() int { mu.Lock(); defer mu.Unlock(); return len(warmed) }
	for end := time.Now().Add(time.Minute); all() < 3 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(warmed) != 3 {
		t.Errorf("%d connections are warmed", len(warmed))
	}
	const path = "projects/p/instances/i"
	table := "table_name=projects%2Fp%2Finstances%2Fi%2Ftables%2Ft&app_profile_id=a%2Fb"
	for method, want := range map[string]struct {
		resource, params string
		cookies          []string // of the second attempt
	}{
		"ReadRows":          {path + "/tables/t", table, []string{"head", "trailer"}},
		"SampleRowKeys":     {path + "/tables/t", table, []string{"head", "trailer"}},
		"MutateRows":        {path + "/tables/t", table, []string{"head", "trailer"}},
		"MutateRow":         {path + "/tables/t", table, []string{"single"}},
		"CheckAndMutateRow": {path + "/tables/t", table, nil},
		"PingAndWarm":       {path, "name=projects%2Fp%2Finstances%2Fi&app_profile_id=a%2Fb", nil},
		"CreateTable":       {path, "", nil},
	} {
		if len(got[method]) == 0 || want.cookies != nil && len(got[method]) != 2 {
			t.Errorf("%s: %d requests", method, len(got[method]))
			continue
		}
		for i, md := range got[method] {
			if r, p := strings.Join(md.Get(resourceHeader), " "), strings.Join(md.Get(paramsHeader), " "); r != want.resource || p != want.params {
				t.Errorf("%s, attempt %d: %s, %s", method, i, r, p)
			}
			var cookies []string
			for name := range md {
				if strings.HasPrefix(name, cookiePrefix) || name == "other" {
					cookies = append(cookies, strings.TrimPrefix(name, cookiePrefix))
				}
			}
			slices.Sort(cookies)
			if i == 0 && len(cookies) > 0 || i == 1 && want.cookies != nil && !slices.Equal(cookies, want.cookies) {
				t.Errorf("%s, attempt %d: cookies %q", method, i, cookies)
			}
			var flags bigtablepb.FeatureFlags
			raw, err := base64.URLEncoding.DecodeString(strings.Join(md.Get(featuresHeader), ""))
			if err != nil || proto.Unmarshal(raw, &flags) != nil || want.params != "" && !(flags.ReverseScans && flags.LastScannedRowResponses && flags.RoutingCookie && flags.RetryInfo) {
				t.Errorf("%s: features %v, %v", method, &flags, err)
			}
		}
	}
}
