# make        fmt, vet, test
# make check  what the gate runs, without the installs
# make bench  the benchmarks, with ratios to their floors
.PHONY: all fmt vet test race lint check bench demo

all: fmt vet test

fmt:
	gofmt -l -w $$(git ls-files '*.go')

vet:
	go vet ./...

test:
	go test ./...

race: # emptied memory is overwritten: see internal/poison
	SALTSQL_POISON=1 go test -race ./storage/... ./catalog ./exec/... ./wire ./

lint:
	go tool staticcheck ./...

check: vet lint test race

bench:
	go test -run '^$$' -bench . -benchtime 1s ./conformance/bench

demo:
	go run ./cmd/saltsql demo
