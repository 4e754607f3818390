// Command quick checks what has changed since a commit: the format of its files, and vet and the
// tests of the packages that have them and of those that import these, directly or not.
// `make quick` runs it.
//
//	quick [-n] [commit]
//
// Without a commit it is where the branch left main. Changes that are not committed count, files
// that git does not know yet among them. With -n it prints the commands and runs none.
//
//	git ─► changed files ─┐
//	go list ─► packages ──┴► selection ─► gofmt, go vet, go test
//
// The tests of a changed package run whole, those of importers with -short. A change of files that
// only tests read does not reach importers. Of the suites that take many minutes a sample runs,
// beside the tests whose files have changed: quick does not stand for the gate.
package main
