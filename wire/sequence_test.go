package wire

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"go.uber.org/goleak"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/mem"
)

var (
	sequenceSeed  = flag.Uint64("sequence.seed", 0, "run the one sequence of messages of this seed")
	sequenceCount = flag.Int("sequence.count", 0, "sequences of messages to run; 0 runs them for some time")
)

// sequenceStack bounds a goroutine's stack: a recursion that a client can drive on fails
// at once.
const sequenceStack = 8 << 20

// sequenceTexts are what Parse and Query send; ? is one of the names.
var sequenceTexts = []string{
	"", ";", "select 1", "select 1 as x, 'y' as y", "select $1::int", "select $1::text, $2::int", "select * from t order by a",
	"select a from t where a = $1", "select b from t order by a limit 2", "select generate_series(1, 5)", "values (1), (2), (3)",
	"insert into t values (9, 'i')", "insert into t values ($1, 'p') returning a", "insert into t values (1, 'dup')", "update t set b = b || 'u' where a < 3",
	"update t set b = $1 where a = 2 returning *", "delete from t where a = 3", "select 1/0", "select nope", "selec 1", "select 1 / (a - 2) from t order by a",
	"begin", "begin", "begin", "begin", "commit", "rollback", "savepoint s", "rollback to s", "release s", "begin read only", "commit and chain",
	"prepare ? as select 7", "prepare ? as select $1::int", "prepare ? as execute ?", "prepare ? as insert into t values (20, 'q')", "execute ?", "execute ?(1)",
	"execute ?(1, 2)", "deallocate ?", "deallocate all", "explain (costs off) execute ?", "explain analyze execute ?",
	"declare ? cursor for select a from t order by a", "declare ? cursor with hold for select * from t order by a", "declare ? scroll cursor for values (1), (2), (3)",
	"declare ? cursor for select $1::int", "fetch ?", "fetch 2 from ?", "fetch all from ?", "fetch backward 1 from ?", "fetch 0 from ?", "move 1 from ?", "move all from ?",
	"close ?", "close all", "discard all", "discard plans", "set application_name = 'x'", "show application_name", "set local extra_float_digits = 1", "reset all",
	"alter table t add column c int", "alter table t drop column b", "drop table t", "create table t (a int primary key, b text)", "truncate t",
	"copy t to stdout", "copy (select a from t order by a) to stdout",
}

// sequencePipes are sent as simple queries only, some of several statements.
var sequencePipes = []string{
	"select 1; select 2", "begin; select 1; commit", "insert into t values (30, 'a'); select 1/0", "begin; insert into t values (31, 'b')",
	"declare ? cursor for select 1; fetch ?", "begin; declare ? cursor for select a from t order by a; fetch 2 from ?", "prepare ? as select 5; execute ?", "select 1; commit; select 2", "copy t from stdin",
	"savepoint s; select nope", "begin; savepoint s; select nope", "deallocate ?; prepare ? as select 8, 9",
}

// choices are decisions read from bytes; they are 0 when the bytes are at their end.
type choices struct{ b []byte }

func (c *choices) n(n int) int {
	if len(c.b) == 0 {
		return 0
	}
	v := int(c.b[0])
	c.b = c.b[1:]
	return v % n
}

// name is most often the same one, so that messages meet.
func (c *choices) name() string { return []string{"a", "a", "a", "a", "b", "b", "", "c"}[c.n(8)] }

func (c *choices) text(of []string) string {
	parts := strings.Split(of[c.n(len(of))], "?")
	out := parts[0]
	for _, p := range parts[1:] {
		out += []string{"a", "a", "b", "c"}[c.n(4)] + p
	}
	return out
}

func (c *choices) object() byte { return "SP"[c.n(2)] }

// sequenceOf reads messages from bytes, up to 60 of them. It ends with Sync.
func sequenceOf(data []byte) (ms []pgproto3.FrontendMessage) {
	c := &choices{data}
	for len(c.b) > 0 && len(ms) < 60 {
		switch c.n(20) {
		case 0, 1:
			m := &pgproto3.Parse{Name: c.name(), Query: c.text(sequenceTexts)}
			if c.n(4) == 0 {
				m.ParameterOIDs = []uint32{23}
			}
			ms = append(ms, m)
		case 2, 3:
			m := &pgproto3.Bind{DestinationPortal: c.name(), PreparedStatement: c.name()}
			m.Parameters = [][]byte{[]byte("2"), nil}[:c.n(3)]
			switch c.n(4) {
			case 0:
				m.ResultFormatCodes = []int16{1}
			case 1:
				m.ResultFormatCodes = []int16{0, 1}
			}
			ms = append(ms, m)
		case 4, 5:
			ms = append(ms, &pgproto3.Describe{ObjectType: c.object(), Name: c.name()})
		case 6, 7:
			ms = append(ms, &pgproto3.Execute{Portal: c.name(), MaxRows: []uint32{0, 0, 1, 2, 7}[c.n(5)]})
		case 8:
			ms = append(ms, &pgproto3.Close{ObjectType: c.object(), Name: c.name()})
		case 9:
			ms = append(ms, &pgproto3.Sync{})
		case 10:
			ms = append(ms, &pgproto3.Flush{})
		case 11:
			of := sequenceTexts
			if c.n(3) == 0 {
				of = sequencePipes
			}
			m := &pgproto3.Query{String: c.text(of)}
			ms = append(ms, m)
			if strings.HasSuffix(m.String, "from stdin") {
				ms = append(ms, &pgproto3.CopyData{Data: []byte("40\tx\n41\ty\n")}, &pgproto3.CopyDone{})
			}
		default: // what drivers do, and then some rows
			stmt, portal, text := c.name(), c.name(), c.text(sequenceTexts)
			params := [][]byte{[]byte("1"), []byte("2")}[:strings.Count(text, "$")]
			ms = append(ms, &pgproto3.Close{ObjectType: 'S', Name: stmt}, &pgproto3.Parse{Name: stmt, Query: text})
			if c.n(2) == 0 {
				ms = append(ms, &pgproto3.Describe{ObjectType: 'S', Name: stmt})
			}
			ms = append(ms, &pgproto3.Close{ObjectType: 'P', Name: portal}, &pgproto3.Bind{DestinationPortal: portal, PreparedStatement: stmt, Parameters: params})
			if c.n(2) == 0 {
				ms = append(ms, &pgproto3.Describe{ObjectType: 'P', Name: portal})
			}
			ms = append(ms, &pgproto3.Execute{Portal: portal, MaxRows: []uint32{0, 0, 1, 2, 7}[c.n(5)]})
			if c.n(3) > 0 {
				ms = append(ms, &pgproto3.Sync{})
			}
		}
	}
	return append(ms, &pgproto3.Sync{})
}

func randomSequence(seed uint64) []pgproto3.FrontendMessage {
	r := rand.New(rand.NewPCG(seed, 0))
	data := make([]byte, 20+r.IntN(200))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return sequenceOf(data)
}

func printSequence(ms []pgproto3.FrontendMessage) string {
	var b strings.Builder
	for _, m := range ms {
		fmt.Fprintf(&b, "  %s %+v\n", typeName(m), m)
	}
	return b.String()
}

// sequenceReset makes the world of each sequence.
const sequenceReset = "drop table if exists t; create table t (a int primary key, b text); insert into t values (1, 'x'), (2, 'y'), (3, 'z')"

// wholeConn is the server's end of a connection whose client sends all at once and
// keeps the answer.
type wholeConn struct {
	*cutConn
	out []byte
}

func (c *wholeConn) Write(p []byte) (int, error) {
	c.out = append(c.out, p...)
	return len(p), nil
}

// sequenceServer answers sequences, each in a session of its own.
type sequenceServer struct {
	srv  *Server
	db   *saltsql.DB
	logs *faultLog
	said map[string]int // how often
}

func newSequenceServer(t testing.TB) *sequenceServer {
	logs := &faultLog{Handler: quiet().Handler()}
	store := mem.New()
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: slog.New(logs), NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(db, Config{Logger: slog.New(logs)})
	t.Cleanup(func() {
		srv.Close()
		db.Close()
		store.Close()
	})
	return &sequenceServer{srv, db, logs, map[string]int{}}
}

// answers runs a sequence, after the reset, and gives what the server says.
func (s *sequenceServer) answers(ms []pgproto3.FrontendMessage) ([]byte, error) {
	in := sent(append(queries(sequenceReset), ms...)...)
	c := &wholeConn{cutConn: newCutConn(in, len(in), -1, false)}
	sc := newConn(s.srv, c)
	s.srv.mu.Lock()
	s.srv.conns[sc] = struct{}{}
	s.srv.mu.Unlock()
	defer s.srv.forget(sc)
	sc.serve()
	if faults := s.logs.take(); len(faults) > 0 {
		return nil, fmt.Errorf("faults: %s", strings.Join(faults, "\n"))
	}
	return c.out, nil
}

// run is the whole check of a sequence.
func (s *sequenceServer) run(ms []pgproto3.FrontendMessage) error {
	out, err := s.answers(ms)
	if err != nil {
		return err
	}
	said, err := checkAnswers(ms, out)
	for _, what := range said {
		for _, w := range strings.Fields(what) {
			s.said[w]++
		}
	}
	return err
}

// smallest drops messages for as long as the rest still fails.
func (s *sequenceServer) smallest(ms []pgproto3.FrontendMessage) ([]pgproto3.FrontendMessage, error) {
	err := s.run(ms)
	for i := len(ms) - 2; i >= 0; i-- {
		less := slices.Delete(slices.Clone(ms), i, i+1)
		if e := s.run(less); e != nil {
			ms, err = less, e
		}
	}
	return ms, err
}

// watch ends the process with what is run when it hangs.
func watch(seed uint64, ms []pgproto3.FrontendMessage) (stop func() bool) {
	return time.AfterFunc(patience, func() {
		panic(fmt.Sprintf("hangs: seed %d\n%s", seed, printSequence(ms)))
	}).Stop
}

// TestSequences sends random sequences of messages, and holds the answers against the
// protocol's rules. No recursion, goroutine or memory is left that they could drive on.
func TestSequences(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(sequenceStack))
	s := newSequenceServer(t)
	leaks := goleak.IgnoreCurrent()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	first, more := seeds.First(t), seeds.Until(*sequenceCount, 10*time.Second)
	if *sequenceSeed != 0 {
		first, more = *sequenceSeed, seeds.Until(1, 0)
	}
	before, n := heap(), 0
	for ; more(n) && (n < 3000 || *sequenceCount > 0); n++ {
		seed := first + uint64(n)
		ms := randomSequence(seed)
		stop := watch(seed, ms)
		if s.run(ms) != nil {
			less, err := s.smallest(ms)
			t.Errorf("-sequence.seed=%d: %v\n%s", seed, err, printSequence(less))
		}
		stop()
		if t.Failed() && n > 200 {
			break
		}
	}
	t.Log(s.said)
	if err := goleak.Find(leaks); err != nil {
		t.Error(err)
	}
	if after := heap(); after > before+32<<20 {
		t.Errorf("%d sessions left %d kB", n, (after-before)>>10)
	}
}

// FuzzSequences is TestSequences with sequences that the fuzzer finds.
func FuzzSequences(f *testing.F) {
	f.Add([]byte{})
	debug.SetMaxStack(sequenceStack)
	s := newSequenceServer(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		ms := sequenceOf(data)
		defer watch(0, ms)()
		if s.run(ms) != nil {
			less, err := s.smallest(ms)
			t.Errorf("%v\n%s", err, printSequence(less))
		}
	})
}

// TestSequencesPostgres sends sequences to PostgreSQL too, which must answer with the same
// messages, tags and codes up to the first feature that is refused here.
func TestSequencesPostgres(t *testing.T) {
	pc, err := pgconn.ParseConfig(pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("%s:%d", pc.Host, pc.Port)
	s := newSequenceServer(t)
	first, more := seeds.First(t), seeds.Until(0, 10*time.Second)
	const most = 300 // further ones ask what PostgreSQL itself has no good answer for
	failed := 0
	for n := 0; n < most && more(n) && failed < 5; n++ {
		seed := first + uint64(n)
		ms := randomSequence(seed)
		if strings.Contains(printSequence(ms), "explain analyze execute") { // looked up when it is parsed
			continue
		}
		differ := func(ms []pgproto3.FrontendMessage) string {
			out, err := s.answers(ms)
			if err != nil {
				return err.Error()
			}
			got, err := checkAnswers(ms, out)
			if err != nil {
				return err.Error()
			}
			want, err := checkAnswers(ms, askPostgres(t, addr, ms))
			if err != nil {
				return "PostgreSQL: " + err.Error()
			}
			for i := range got {
				if strings.HasSuffix(want[i], " ZE") && got[i] == want[i] {
					break // which names are left in a failed block differs
				}
				if got[i] == want[i] || failsAlike(got[i], want[i]) {
					continue
				}
				if mayDiffer(ms[i], got[i], want[i]) {
					break // from here on they are in different states
				}
				return fmt.Sprintf("%s %+v: %s, PostgreSQL %s", typeName(ms[i]), ms[i], got[i], want[i])
			}
			return ""
		}
		if differ(ms) == "" {
			continue
		}
		failed++
		for i := len(ms) - 2; i >= 0; i-- {
			if less := slices.Delete(slices.Clone(ms), i, i+1); differ(less) != "" {
				ms = less
			}
		}
		t.Errorf("seed %d: %s\n%s", seed, differ(ms), printSequence(ms))
	}
}

// TestClosesItself closes the portal that the statement runs in, as PostgreSQL does.
func TestClosesItself(t *testing.T) {
	pc, err := pgconn.ParseConfig(pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("%s:%d", pc.Host, pc.Port)
	s := newSequenceServer(t)
	for _, text := range []string{"close p", "close all", "deallocate p", "deallocate all"} {
		for _, before := range []string{"select 1", "begin; declare c cursor for select 1"} {
			ms := []pgproto3.FrontendMessage{
				&pgproto3.Query{String: before},
				&pgproto3.Parse{Name: "p", Query: text}, &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "p"},
				&pgproto3.Execute{Portal: "p"}, &pgproto3.Execute{Portal: "p"}, &pgproto3.Sync{},
				&pgproto3.Query{String: "fetch c"}, &pgproto3.Sync{},
			}
			out, err := s.answers(ms)
			if err != nil {
				t.Fatal(err)
			}
			got, err := checkAnswers(ms, out)
			if err != nil {
				t.Errorf("%s; %s: %v", before, text, err)
			}
			want, err := checkAnswers(ms, askPostgres(t, addr, ms))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s; %s: %q, PostgreSQL %q %v", before, text, got, want, err)
			}
		}
	}
}

func askPostgres(t *testing.T, addr string, ms []pgproto3.FrontendMessage) []byte {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetDeadline(time.Now().Add(patience))
	start, _ := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30,
		Parameters: map[string]string{"user": "postgres", "database": "postgres"}}).Encode(nil)
	in := sent(append(append(queries(sequenceReset), ms...), &pgproto3.Terminate{})...)
	go nc.Write(append(start, in[len(sent()):]...))
	out, err := io.ReadAll(nc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// failsAlike says that both answers end with the same error; how many rows were sent
// before it may differ.
func failsAlike(got, want string) bool {
	e := func(s string) string {
		fields := strings.Fields(s)
		for i, f := range fields {
			if len(f) == 6 && f[0] == 'E' {
				return strings.Join(slices.DeleteFunc(fields[i:], func(s string) bool { return s == "rows" || s[0] <= '9' }), " ")
			}
		}
		return ""
	}
	return e(got) != "" && e(got) == e(want)
}

// mayDiffer lists what is refused here, or earlier than PostgreSQL does.
func mayDiffer(m pgproto3.FrontendMessage, got, want string) bool {
	p, parse := m.(*pgproto3.Parse)
	_, bind := m.(*pgproto3.Bind)
	switch {
	case strings.Contains(got, "E0A000"):
		return true
	case parse && (got == " E26000" || got == " E34000"):
		// What FETCH and EXECUTE give is known when they are prepared.
		return !strings.HasPrefix(p.Query, "deallocate") && !strings.HasPrefix(p.Query, "close")
	case parse && got == " E42P01" && want == " E42P05":
		return true // the table of a COPY is looked up when it is prepared, before its name is taken
	case bind && (got == " E34000" || got == " E55000" || got == " E42601"):
		return true // their arguments and cursor are looked up by Bind
	case strings.HasPrefix(got, " E25P01"):
		return true // DECLARE among the statements of one text
	case got == " E22012", strings.HasSuffix(want, " E22012"):
		return true // constants are evaluated when they are needed, rows of a batch together
	case got == " E25001":
		return true // DISCARD ALL with more behind it in the pipeline
	}
	return false
}

// TestRowsLeft: what an Execute with a row limit leaves is the next FETCH's, and the
// other way around.
func TestRowsLeft(t *testing.T) {
	fetch := func(text string) []pgproto3.FrontendMessage {
		return []pgproto3.FrontendMessage{&pgproto3.Parse{Query: text}, &pgproto3.Bind{}, &pgproto3.Execute{}}
	}
	ms := []pgproto3.FrontendMessage{&pgproto3.Parse{Name: "s", Query: "select generate_series(1, 9)"},
		&pgproto3.Bind{DestinationPortal: "c", PreparedStatement: "s"}, &pgproto3.Execute{Portal: "c", MaxRows: 2}}
	ms = append(append(ms, fetch("fetch 3 from c")...), &pgproto3.Execute{Portal: "c", MaxRows: 1})
	ms = append(append(ms, fetch("move 1 from c")...), &pgproto3.Execute{Portal: "c"}, &pgproto3.Sync{})
	out, err := newSequenceServer(t).answers(ms)
	if err != nil {
		t.Fatal(err)
	}
	got, err := checkAnswers(ms, out)
	want := "ParseComplete BindComplete PortalSuspended 2 rows ParseComplete BindComplete FETCH 3 3 rows " +
		"PortalSuspended 1 rows ParseComplete BindComplete MOVE 1 SELECT 2 2 rows ZI"
	if said := strings.Join(strings.Fields(strings.Join(got, " ")), " "); err != nil || said != want {
		t.Errorf("%v %s, want %s", err, said, want)
	}
}

// portalStatements give rows by portals that are executed in steps.
var portalStatements = []string{
	"insert into t values (50, 'a'), (51, 'b'), (52, 'c') returning a", "update t set b = b || 'x' returning a, b", "delete from t returning *",
	"with w as (insert into t values (60, 'w') returning a) select a from w union all select 1 union all select 2",
	"with w as (select 1) update t set b = 'y' returning a", "insert into t values (53, 'd')", "select a from t", "values (1), (2), (3)",
	"show application_name", "insert into t select 70, 'n' where false returning a",
}

// TestPortalStepsPostgres: each Execute of a portal has the tag of its own rows, the one after the
// last row too, as PostgreSQL has it.
func TestPortalStepsPostgres(t *testing.T) {
	pc, err := pgconn.ParseConfig(pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("%s:%d", pc.Host, pc.Port)
	s := newSequenceServer(t)
	for _, text := range portalStatements {
		for _, steps := range [][]uint32{{0, 0}, {1, 0, 0}, {2, 2, 2, 2}, {3, 3, 0}, {9, 1}} {
			ms := []pgproto3.FrontendMessage{&pgproto3.Query{String: "begin"}, &pgproto3.Parse{Name: "s", Query: text},
				&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s"}}
			for _, n := range steps {
				ms = append(ms, &pgproto3.Execute{Portal: "p", MaxRows: n})
			}
			ms = append(ms, &pgproto3.Sync{})
			out, err := s.answers(ms)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			got, err := checkAnswers(ms, out)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			want, err := checkAnswers(ms, askPostgres(t, addr, ms))
			if err != nil {
				t.Fatalf("%s: PostgreSQL: %v", text, err)
			}
			// What fails for having been run tells of the portal in other words.
			if !slices.EqualFunc(got, want, func(got, want string) bool { return got == want || failsAlike(got, want) }) {
				t.Errorf("%s by steps of %v: %q, PostgreSQL %q", text, steps, got, want)
			}
		}
	}
}
