package bigtable

import (
	"context"
	"encoding/base64"
	"net/url"
	"runtime"
	"strings"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// The service routes a request by its headers, before it reads it:
//
//	google-cloud-resource-prefix   projects/P/instances/I/tables/T
//	x-goog-request-params          table_name=…&app_profile_id=…   escaped as in a URL
//	bigtable-features              FeatureFlags, in base64: what this program understands
//	x-goog-cbt-cookie-…            of the attempt before, as the service has given it
const (
	resourceHeader = "google-cloud-resource-prefix"
	paramsHeader   = "x-goog-request-params"
	featuresHeader = "bigtable-features"
	cookiePrefix   = "x-goog-cbt-cookie-"
)

var features = func() string {
	raw, err := proto.Marshal(&bigtablepb.FeatureFlags{
		ReverseScans: true, LastScannedRowResponses: true,
		MutateRowsRateLimit: true, MutateRowsRateLimit2: true,
		RoutingCookie: true, RetryInfo: true,
	})
	if err != nil {
		panic(err)
	}
	return base64.URLEncoding.EncodeToString(raw)
}()

// header gives the headers of requests of the data service about a resource, which is
// their parameter of this name.
func (s *Store) header(resource, param, value string) metadata.MD {
	return metadata.Pairs(
		resourceHeader, resource,
		paramsHeader, param+"="+url.QueryEscape(value)+"&app_profile_id="+url.QueryEscape(s.config.AppProfile),
		featuresHeader, features,
		"x-goog-api-client", "gl-go/"+strings.TrimPrefix(runtime.Version(), "go")+" grpc/"+grpc.Version,
	)
}

// attempts are the requests of one read or write, made one after another until one succeeds.
type attempts struct {
	md            metadata.MD // that they go out with
	head, trailer metadata.MD // of the last one's answer
}

// next gives the context and options of the next attempt, which takes the service's cookies
// along: by them it is sent where the service wants it.
func (a *attempts) next(ctx context.Context) (context.Context, []grpc.CallOption) {
	for _, got := range []metadata.MD{a.head, a.trailer} {
		for name, values := range got {
			if strings.HasPrefix(name, cookiePrefix) {
				a.md = a.md.Copy()
				a.md[name] = values
			}
		}
	}
	a.head, a.trailer = nil, nil
	return metadata.NewOutgoingContext(ctx, a.md), []grpc.CallOption{grpc.Header(&a.head), grpc.Trailer(&a.trailer)}
}
