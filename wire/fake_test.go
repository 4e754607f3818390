package wire

import (
	"context"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// fakeEngine understands a few words instead of SQL:
//
//	rows N              N rows (i int4, t text)
//	echo TYPE,...       one row of its parameters
//	do TAG              no rows
//	fail SQLSTATE TEXT  an error; "fail after N" fails after N rows
//	begin, commit, rollback, set NAME VALUE, notice TEXT, sleep, panic
//	copyin OPTION=VALUE,... (x int4, y text)    copyout N OPTION=VALUE,...
type fakeEngine struct {
	mu     sync.Mutex
	copied []string // rows that COPY FROM took
	open   int      // sessions
}

func (e *fakeEngine) newSession(o session.SessionOptions) (engineSession, error) {
	s := &fakeSession{
		e: e, o: o, status: session.TxIdle,
		settings: map[string]string{
			"client_encoding": "UTF8", "server_version": "15.0", "statement_timeout": "0",
			"idle_in_transaction_session_timeout": "0", "application_name": "", "standard_conforming_strings": "on",
		},
		stmts: map[string]*fakeStmt{}, portals: map[string]*fakePortal{},
		stop: make(chan error, 1),
	}
	for name, v := range o.Settings {
		if _, ok := s.settings[name]; !ok {
			return nil, sqlerr.New(sqlerr.UndefinedObject, `unrecognized configuration parameter "%s"`, name)
		}
		s.settings[name] = v
	}
	e.mu.Lock()
	e.open++
	e.mu.Unlock()
	return s, nil
}

type fakeSession struct {
	e         *fakeEngine
	o         session.SessionOptions
	status    session.TxStatus
	broken    bool
	settings  map[string]string
	stmts     map[string]*fakeStmt
	portals   map[string]*fakePortal
	mu        sync.Mutex
	waiting   bool
	stop      chan error
	pipeline  string // what the test log shows of Begin/EndPipeline
	pipelined bool   // between the two
}

type fakeParsed string

func (p fakeParsed) Text() string { return string(p) }

type fakeStmt struct {
	word, arg string
	params    []types.T
	cols      []session.Column
}

func (st *fakeStmt) Empty() bool               { return st.word == "" }
func (st *fakeStmt) ParamTypes() []types.T     { return st.params }
func (st *fakeStmt) Columns() []session.Column { return st.cols }

func (s *fakeSession) Split(_ context.Context, text string) ([]parsed, error) {
	var out []parsed
	for _, t := range strings.Split(text, ";") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, fakeParsed(t))
		}
	}
	return out, nil
}

func (s *fakeSession) Prepare(ctx context.Context, text string, ts []types.T) (stmt, error) {
	list, _ := s.Split(ctx, text)
	if len(list) == 0 {
		return &fakeStmt{}, nil
	}
	return s.PrepareParsed(ctx, list[0], ts)
}

var rowsColumns = []session.Column{
	{Name: "i", Type: types.Of(types.Int4), TableOID: 16384, Attnum: 1},
	{Name: "t", Type: types.Of(types.Varchar).WithLength(10)},
}

func (s *fakeSession) PrepareParsed(_ context.Context, p parsed, ts []types.T) (stmt, error) {
	st := &fakeStmt{}
	st.word, st.arg, _ = strings.Cut(p.Text(), " ")
	if s.status == session.TxFailed && st.word != "rollback" {
		return nil, sqlerr.New(sqlerr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
	}
	switch st.word {
	case "rows":
		st.cols = rowsColumns
	case "echo":
		for i, name := range strings.Split(st.arg, ",") {
			t, err := types.FromName(name, nil, false)
			if err != nil {
				return nil, err
			}
			if i < len(ts) && ts[i].Kind != types.Unknown {
				t = ts[i]
			}
			st.params = append(st.params, t)
			st.cols = append(st.cols, session.Column{Name: "p" + strconv.Itoa(i+1), Type: t})
		}
	case "syntax":
		return nil, sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, st.arg).At(8)
	}
	return st, nil
}

func (s *fakeSession) SaveStmt(name string, st stmt) error {
	if s.stmts[name] != nil && name != "" {
		return sqlerr.New(sqlerr.DuplicatePreparedStatement, `prepared statement "%s" already exists`, name)
	}
	s.stmts[name] = st.(*fakeStmt)
	return nil
}

func (s *fakeSession) NamedStmt(name string) (stmt, error) {
	if st := s.stmts[name]; st != nil {
		return st, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, `prepared statement "%s" does not exist`, name)
}

func (s *fakeSession) CloseStmt(name string) { delete(s.stmts, name) }

func (s *fakeSession) Bind(_ context.Context, name string, st stmt, params []types.Datum) (portal, error) {
	if s.portals[name] != nil && name != "" {
		return nil, sqlerr.New(sqlerr.DuplicateCursor, `cursor "%s" already exists`, name)
	}
	p := &fakePortal{s: s, st: st.(*fakeStmt), params: params}
	s.portals[name] = p
	return p, nil
}

func (s *fakeSession) Portal(name string) (portal, error) {
	if p := s.portals[name]; p != nil {
		return p, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCursorName, `portal "%s" does not exist`, name)
}

func (s *fakeSession) ClosePortal(name string) { delete(s.portals, name) }
func (s *fakeSession) BeginText()              { s.BeginPipeline() }

func (s *fakeSession) BeginPipeline() {
	if !s.pipelined {
		s.pipelined = true
		s.pipeline += "begin "
	}
}

func (s *fakeSession) EndPipeline(_ context.Context, ok bool) error {
	if s.pipeline != "" {
		s.pipeline += fmt.Sprintf("end:%t ", ok && !s.broken)
	}
	s.broken, s.pipelined = false, false
	if s.status == session.TxIdle {
		clear(s.portals)
	}
	return nil
}

func (s *fakeSession) Fail() {
	s.broken = true
	if s.status == session.TxActive {
		s.status = session.TxFailed
	}
}

func (s *fakeSession) TxStatus() session.TxStatus { return s.status }
func (s *fakeSession) Setting(name string) (string, bool) {
	v, ok := s.settings[name]
	return v, ok
}

func (s *fakeSession) Timeouts() session.Timeouts {
	d := func(name string) time.Duration {
		d, _ := time.ParseDuration(s.settings[name])
		return d
	}
	return session.Timeouts{Statement: d("statement_timeout"), IdleInTransaction: d("idle_in_transaction_session_timeout")}
}

func (s *fakeSession) ReportedSettings() map[string]string {
	m := maps.Clone(s.settings)
	delete(m, "statement_timeout")
	delete(m, "idle_in_transaction_session_timeout")
	return m
}

func (s *fakeSession) Reserve(int64) error     { return nil }
func (s *fakeSession) ReserveRows(int64) error { return nil }

func (s *fakeSession) IOEnv() *types.IOEnv                   { return nil }
func (s *fakeSession) Notifications() []session.Notification { return nil }
func (s *fakeSession) Cancel() {
	s.Terminate(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
}

func (s *fakeSession) Terminate(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting {
		s.waiting = false
		s.stop <- cause
	}
}

func (s *fakeSession) Close() {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	s.e.open--
}

type fakePortal struct {
	s      *fakeSession
	st     *fakeStmt
	params []types.Datum
	at     int
	batch  *vec.Batch
	tag    string
}

func (p *fakePortal) Columns() []session.Column {
	if p.st.word == "copyout" {
		return rowsColumns
	}
	return p.st.cols
}

func (p *fakePortal) Tag(rows int64) string {
	switch {
	case p.tag != "":
		return p.tag
	case p.st.word == "copyout":
		return fmt.Sprintf("COPY %d", rows)
	}
	return fmt.Sprintf("SELECT %d", rows)
}

func (p *fakePortal) Unread(b *vec.Batch, next int) { p.at -= b.Rows() - next }
func (p *fakePortal) InSteps()                      {}
func (p *fakePortal) Suspend()                      {}

func (p *fakePortal) Next(ctx context.Context) (*vec.Batch, error) {
	switch p.st.word {
	case "rows", "copyout":
		word, _, _ := strings.Cut(p.st.arg, " ")
		n, _ := strconv.Atoi(word)
		return p.rows(n)
	case "echo":
		return p.echo()
	}
	p.at++
	return nil, p.command()
}

// rows gives n rows in batches of three; t is NULL in every third.
func (p *fakePortal) rows(n int) (*vec.Batch, error) {
	if p.at == n {
		return nil, io.EOF
	}
	if p.batch == nil {
		p.batch = vec.NewBatch([]types.T{rowsColumns[0].Type, rowsColumns[1].Type})
	}
	k := min(3, n-p.at)
	for _, v := range p.batch.Cols {
		v.Resize(k)
	}
	for i := range k {
		p.at++
		p.batch.Cols[0].Ints[i] = int64(p.at)
		p.batch.Cols[1].Bytes[i] = fmt.Appendf(nil, "t%d", p.at)
		if p.at%3 == 0 {
			p.batch.Cols[1].Nulls.Set(i)
		}
	}
	p.batch.N = k
	return p.batch, nil
}

func (p *fakePortal) echo() (*vec.Batch, error) {
	if p.at++; p.at > 1 {
		return nil, io.EOF
	}
	b := vec.NewBatch(p.st.params)
	for i, v := range b.Cols {
		v.Resize(1)
		v.Set(0, p.params[i])
	}
	b.N = 1
	return b, nil
}

func (p *fakePortal) command() error {
	s, arg := p.s, p.st.arg
	p.tag = strings.ToUpper(p.st.word)
	switch p.st.word {
	case "do":
		p.tag = arg
	case "pipeline":
		p.tag, s.pipeline = s.pipeline, ""
	case "begin":
		s.status = session.TxActive
	case "commit", "rollback":
		s.status = session.TxIdle
	case "set":
		name, value, _ := strings.Cut(arg, " ")
		s.settings[name] = value
		s.o.ParameterStatus(name, value)
	case "notice":
		s.o.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", arg).WithHint("none"))
	case "fail":
		return sqlerr.New(sqlerr.UniqueViolation, "%s", arg).WithDetail("detail").WithConstraint("t", "t_pkey")
	case "internal":
		return fmt.Errorf("disk %s", arg)
	case "panic":
		panic(arg)
	case "sleep":
		s.mu.Lock()
		s.waiting = true
		s.mu.Unlock()
		return <-s.stop
	default:
		return sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, p.st.word).At(1)
	}
	return io.EOF
}

func (p *fakePortal) CopyIn() copyIn {
	if p.st.word != "copyin" {
		return nil
	}
	return &fakeCopyIn{p.s.e, fakeOptions(p.st.arg, true), 0}
}

func (p *fakePortal) CopyOut() *copyfmt.Options {
	if p.st.word != "copyout" {
		return nil
	}
	_, arg, _ := strings.Cut(p.st.arg, " ")
	return fakeOptions(arg, false)
}

func fakeOptions(arg string, from bool) *copyfmt.Options {
	var list []copyfmt.Option
	for _, o := range strings.Fields(arg) {
		name, value, ok := strings.Cut(o, "=")
		list = append(list, copyfmt.Option{Name: name, Value: value, HasValue: ok})
	}
	o, err := copyfmt.NewOptions(list, from, []string{"i", "t", "x", "y"})
	if err != nil {
		panic(err)
	}
	return o
}

type fakeCopyIn struct {
	e *fakeEngine
	o *copyfmt.Options
	n int
}

func (c *fakeCopyIn) Options() *copyfmt.Options { return c.o }
func (c *fakeCopyIn) Table() string             { return "t" }
func (c *fakeCopyIn) IOEnv() *types.IOEnv       { return nil }
func (c *fakeCopyIn) Columns() []session.Column {
	return []session.Column{{Name: "x", Type: types.Of(types.Int4)}, {Name: "y", Type: types.Of(types.Text)}}
}

func (c *fakeCopyIn) Write(_ context.Context, b *vec.Batch, first int64) error {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	for i := range b.Rows() {
		row := b.Row(i)
		var line []byte
		for j, v := range b.Cols {
			if j > 0 {
				line = append(line, '|')
			}
			if v.Null(row) {
				line = append(line, "NULL"...)
			} else {
				line = types.AppendText(line, v.Type, v.Datum(row), nil)
			}
		}
		c.e.copied = append(c.e.copied, fmt.Sprintf("%d: %s", first+int64(i), line))
		c.n++
	}
	return nil
}

func (c *fakeCopyIn) Finish(context.Context) (string, error) {
	return fmt.Sprintf("COPY %d", c.n), nil
}

func (c *fakeCopyIn) Abort(cause error) error {
	c.e.mu.Lock()
	defer c.e.mu.Unlock()
	c.e.copied = nil
	return cause
}
