# make        fmt, vet, test
# make quick [SINCE=commit]  format, vet and tests of what has changed, and of what imports it
# make check  what the gate runs, without the installs
# make bench  the benchmarks, with ratios to their floors
# make compare BEFORE=commit [AFTER=commit]   the same of two commits, in pairs, by benchstat
# make build  the program as it is shipped, in ./saltsql
# make pgo    the profile that make build optimizes by, from the benchmarks
.PHONY: all quick build fmt vet test race lint check bench compare pgo demo

all: fmt vet test

fmt:
	gofmt -l -w $$(git ls-files '*.go')

vet:
	go vet ./...

test:
	go test ./...

quick:
	go run ./internal/quick $(SINCE)

race: # emptied memory is overwritten: see internal/poison
	SALTSQL_POISON=1 go test -race ./storage/... ./catalog ./catalog/change ./catalog/jobs ./catalog/live ./catalog/usertype ./catalog/versions ./exec/... ./wire ./internal/dialect/... ./internal/memory ./internal/idle ./internal/rowid ./internal/advisory ./internal/notify ./internal/feed ./internal/activity ./internal/settings ./internal/goapi ./internal/session ./internal/plancache ./internal/statements/... ./internal/metrics ./internal/push ./

lint:
	go tool staticcheck ./...

check: vet lint test race

bench:
	conformance/bench/all

compare:
	conformance/bench/compare $(BEFORE) $(AFTER)

# As it is shipped: with its profile, which compiles every package once more, and with Parquet,
# whose library is as large as Pebble to compile. A plain go build leaves out both.
# By grpcnotrace grpc does without golang.org/x/net/trace, whose pages nothing serves: their
# templates call methods by name, for which the linker would keep all methods of all types, a
# sixth of the program.
build:
	CGO_ENABLED=0 go build -trimpath -pgo=cmd/saltsql/server.pgo -tags grpcnotrace,parquet -ldflags="-s -w" -o saltsql ./cmd/saltsql

# Each kind of work gets about the same time in the profile. To be made again when a
# hot path has moved; on a machine with PostgreSQL, for pgbench.
pgo: dir := $(shell mktemp -d)
pgo:
	go test -c -o $(dir)/bench ./conformance/bench
	cd conformance/bench && $(dir)/bench -test.run '^$$' -test.bench 'Copy/(go-api|wire)' -test.benchtime 3x -test.cpuprofile $(dir)/copy.prof
	cd conformance/bench && $(dir)/bench -test.run '^$$' -test.bench 'Aggregate/(salt|written)|GroupKey|BucketJoin' -test.benchtime 30x -test.cpuprofile $(dir)/aggregate.prof
	cd conformance/bench && $(dir)/bench -test.run '^$$' -test.bench 'Scan/salt|Top/10/merge' -test.benchtime 40x -test.cpuprofile $(dir)/scan.prof
	cd conformance/bench && $(dir)/bench -test.run '^$$' -test.bench 'Point/(go-api|wire)|Text|Request' -test.benchtime 2s -test.cpuprofile $(dir)/point.prof
	cd conformance/bench && $(dir)/bench -test.run '^$$' -test.bench 'Pgbench/.*/.*/saltsql' -test.benchtime 150000x -test.cpuprofile $(dir)/pgbench.prof
	go tool pprof -proto $(dir)/*.prof > cmd/saltsql/server.pgo
	rm -r $(dir)

demo:
	go run ./cmd/saltsql demo
