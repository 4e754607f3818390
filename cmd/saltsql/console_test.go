package main

import (
	"io"
	"strings"
	"testing"
)

// TestConsoleFlags: what would let strangers in, or nobody, is refused before a store is opened.
func TestConsoleFlags(t *testing.T) {
	for _, x := range []struct{ args, want string }{
		{"--console 127.0.0.1:8433", ""}, {"--console localhost:0 --auth scram", ""}, {"--console [::1]:8433", ""},
		{"--console :8433", "is not on loopback"}, {"--console 0.0.0.0:8433 --auth scram", "is not on loopback"},
		{"--console :8433 --trust-anyone", "is not on loopback"}, {"--console example.com:8433", "is not on loopback"},
		{"--console 127.0.0.1", "missing port"}, {"--console 127.0.0.1:8433 --auth cert", "--console takes passwords"},
	} {
		_, err := parseServe(append(strings.Fields(x.args), "--store", "mem:"), io.Discard, io.Discard)
		if x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v, want %q", x.args, err, x.want)
		}
	}
}
