package conformance

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestSLTHints runs the files that PostgreSQL checks under hints, by turns: hints change the
// work, not the answers.
func TestSLTHints(t *testing.T) {
	t.Parallel()
	paths := sltFiles(t, "pg_*.slt")
	for n := range seeds.Part(t, len(paths), 15*time.Second) {
		path := paths[n]
		f, err := slt.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, hint := range []string{"SKIP_SCAN", "RANGE_SCAN", "SERIAL", "FORWARD_SCAN"} {
			if (n+i)%4 > 1 {
				continue
			}
			v := variant{"pebble", []int{4, 16, 0}[i%3], false}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".slt")+"/"+hint, func(t *testing.T) {
				faults, _ := slt.Run(context.Background(), f, hinted{engine{v, v.open(t)}, hint})
				for _, fault := range faults {
					t.Error(fault)
				}
			})
		}
	}
}

// hinted is an engine whose sessions have a hint.
type hinted struct {
	engine
	hint string
}

func (h hinted) RulesOff() bool { return true } // the work is another

func (h hinted) Open(context.Context) (slt.Conn, error) {
	s, err := h.db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"saltsql.hints": h.hint}})
	if err != nil {
		return nil, err
	}
	return sessionConn{s}, nil
}
