package servers

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
)

// operator is who runs a server: with what the program gives, and nothing else.
type operator struct {
	*harness.Process
	t                          *testing.T // of all tasks: servers end with it
	root, store, conf, metrics string
	small                      error          // why the disk is not small
	roots                      *x509.CertPool // that clients trust
}

// TestOperator does ten tasks of an operator on one server, each to its end.
func TestOperator(t *testing.T) {
	seeds.Sometimes(t)
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	disk := t.TempDir()
	small := mountSmall(t, disk, 400)
	o := &operator{t: t, root: disk, small: small, store: "pebble:" + filepath.Join(disk, "store"), conf: filepath.Join(disk, "saltsql.conf"), metrics: freeAddress(t)}
	o.certificate(t, "127.0.0.1", -time.Hour)
	if err := os.WriteFile(o.conf, []byte(fmt.Sprintf("store = %s\nmetrics = %s\ntls_cert = %s/cert\ntls_key = %s/key\nrequire_tls = on\nauth = scram\nmemory = 256MB\nreserve = 60MB\nlog_format = json\nlog_min_duration_statement = 200ms\nstatement_timeout = 10min\nlock_timeout = 10min\n",
		o.store, o.metrics, disk, disk)), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SALTSQL_PASSWORD", "first")
	o.start()
	for _, task := range []struct {
		name string
		do   func(t *testing.T)
	}{
		{"an expired certificate is renewed", o.renewsCertificate},
		{"a runaway statement is found and cancelled", o.cancelsRunaway},
		{"a slow statement is found", o.findsSlow},
		{"a role is locked out", o.locksOut},
		{"a role is bounded", o.boundsRole},
		{"the memory limit is met, and read of", o.meetsMemoryLimit},
		{"what was dropped is restored", o.restores},
		{"a damaged file of a backup is found", o.findsDamage},
		{"a table is checked and repaired", o.repairs},
		{"a disk that fills is seen before it is full", o.seesDiskFill},
		{"the server is drained", o.drains}, // the last
	} {
		if !t.Run(task.name, task.do) {
			return // the next begin with what this one leaves
		}
	}
}

// start runs the server by its configuration file.
func (o *operator) start() {
	path, err := harness.Build()
	if err != nil {
		o.t.Fatal(err)
	}
	o.Process = harness.StartCommand(o.t, path, "serve", "--config", o.conf, "--listen", "127.0.0.1:0")
}

// certificate writes a self-signed certificate for a host, and its key, where the server reads
// them: valid for some time from now, or, where that is below 0, not any more.
func (o *operator) certificate(t *testing.T, host string, valid time.Duration) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(valid),
		DNSNames: []string{host}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert": {Type: "CERTIFICATE", Bytes: der}, "key": {Type: "EC PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(filepath.Join(o.root, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	o.roots = x509.NewCertPool()
	o.roots.AddCert(cert)
}

// try connects as clients do that look at the certificate.
func (o *operator) try(user, password string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=%s password=%s dbname=saltsql sslmode=require", o.Host, o.Port, user, password))
	if err != nil {
		return nil, err
	}
	config.TLSConfig = &tls.Config{RootCAs: o.roots, ServerName: "db.example"}
	return pgx.ConnectConfig(context.Background(), config)
}

func (o *operator) as(t *testing.T, user, password string) *pgx.Conn {
	t.Helper()
	c, err := o.try(user, password)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func (o *operator) boss(t *testing.T) *pgx.Conn { return o.as(t, "saltsql", "first") }

// soon waits until ok.
func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(harness.Patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come: %s", what)
		}
	}
}

func (o *operator) renewsCertificate(t *testing.T) {
	hangup := func() {
		if err := o.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := o.try("saltsql", "first"); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Fatalf("with a certificate that has expired: %v", err)
	}
	o.certificate(t, "other.example", time.Hour) // new, and of another host
	hangup()
	soon(t, "the wrong certificate", func() bool {
		_, err := o.try("saltsql", "first")
		return err != nil && strings.Contains(err.Error(), "other.example")
	})
	o.certificate(t, "db.example", time.Hour)
	hangup()
	soon(t, "the new certificate", func() bool {
		c, err := o.try("saltsql", "first")
		if err == nil {
			c.Close(context.Background())
		}
		return err == nil
	})
	dsn := fmt.Sprintf("host=%s port=%d user=saltsql password=first dbname=saltsql sslmode=require", o.Host, o.Port)
	if out, status := harness.Command(t, "doctor", "--connect", dsn); status != 1 || !strings.Contains(out, "the server's certificate ends on ") {
		t.Errorf("doctor says nothing of a certificate that has an hour: status %d, %s", status, out)
	}
	c := o.boss(t) // stays, when what comes cannot be read
	if err := os.Rename(filepath.Join(o.root, "key"), filepath.Join(o.root, "kept")); err != nil {
		t.Fatal(err)
	}
	hangup()
	soon(t, "a line in the log", func() bool { return strings.Contains(o.Log.String(), "are not reloaded") })
	harness.MustExec(t, c, "SELECT 1")
	harness.MustExec(t, o.boss(t), "SELECT 1")
	if err := os.Rename(filepath.Join(o.root, "kept"), filepath.Join(o.root, "key")); err != nil {
		t.Fatal(err)
	}
}

func (o *operator) cancelsRunaway(t *testing.T) {
	ctx := context.Background()
	boss, other := o.boss(t), o.boss(t)
	harness.MustExec(t, boss, "CREATE TABLE runs (k INT PRIMARY KEY) SALT_BUCKETS = 4")
	harness.MustExec(t, boss, "INSERT INTO runs SELECT i FROM generate_series(1, 2000) i")
	ended := make(chan error, 1)
	go func() {
		_, err := other.Exec(ctx, "SELECT count(*) FROM runs a, runs b, runs c WHERE a.k + b.k + c.k = 7")
		ended <- err
	}()
	var pid int
	soon(t, "the statement", func() bool {
		rows, err := boss.Query(ctx, "SHOW SESSIONS")
		if err != nil {
			t.Fatal(err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if s["state"] == "active" && strings.Contains(s["query"].(string), "runs a, runs b") && s["running"] != nil {
				pid = int(s["pid"].(int32))
			}
		}
		return pid != 0
	})
	harness.MustExec(t, boss, fmt.Sprintf("CANCEL %d", pid))
	if err := <-ended; harness.SQLState(err) != "57014" {
		t.Errorf("it ends with %v", err)
	}
	harness.MustExec(t, other, "SELECT 1")
}

func (o *operator) findsSlow(t *testing.T) {
	boss := o.boss(t)
	slow := "SELECT count(*) FROM runs, pg_sleep(0.3) WHERE k > 17"
	for range 2 {
		harness.MustExec(t, boss, slow)
	}
	var calls int
	var mean float64
	if err := boss.QueryRow(context.Background(), "SELECT calls, mean_exec_time FROM pg_stat_statements WHERE query LIKE '%pg_sleep%' ORDER BY total_exec_time DESC LIMIT 1").Scan(&calls, &mean); err != nil || calls != 2 || mean < 300 {
		t.Errorf("%d calls of %f ms: %v", calls, mean, err)
	}
	found := false
	for _, line := range strings.Split(o.Log.String(), "\n") {
		var l struct {
			Msg, Statement string
			RowsRead       int `json:"rows_read"`
			Buckets        int
		}
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "slow statement" && strings.Contains(l.Statement, "pg_sleep") {
			found = !strings.Contains(l.Statement, "17") && l.RowsRead >= 1983 && l.Buckets == 4
			t.Log(line)
		}
	}
	if !found {
		t.Errorf("the log does not tell of it:\n%s", o.Log)
	}
}

func (o *operator) locksOut(t *testing.T) {
	ctx := context.Background()
	boss := o.boss(t)
	harness.MustExec(t, boss, "CREATE ROLE mallory LOGIN PASSWORD 'm'")
	mallory := o.as(t, "mallory", "m")
	harness.MustExec(t, boss, "ALTER ROLE mallory NOLOGIN")
	if _, err := mallory.Exec(ctx, "SELECT 1"); harness.SQLState(err) != "28000" || !mallory.IsClosed() {
		t.Errorf("mallory goes on: %v", err)
	}
	if _, err := o.try("mallory", "m"); harness.SQLState(err) != "28000" {
		t.Errorf("mallory is let in: %v", err)
	}
}

func (o *operator) boundsRole(t *testing.T) {
	ctx := context.Background()
	boss := o.boss(t)
	harness.MustExec(t, boss, "CREATE ROLE reports LOGIN PASSWORD 'r' CONNECTION LIMIT 1")
	harness.MustExec(t, boss, "ALTER ROLE reports SET statement_timeout = '100ms'")
	c := o.as(t, "reports", "r")
	if _, err := c.Exec(ctx, "SELECT pg_sleep(60)"); harness.SQLState(err) != "57014" {
		t.Errorf("a statement of the role ends with %v", err)
	}
	if _, err := c.Exec(ctx, "SET log_min_duration_statement = 0"); harness.SQLState(err) != "42501" {
		t.Errorf("the role sets the slow log: %v", err)
	}
	if _, err := o.try("reports", "r"); harness.SQLState(err) != "53300" {
		t.Errorf("a second connection: %v", err)
	}
	harness.MustExec(t, boss, "ALTER ROLE reports VALID UNTIL '2001-01-01'")
	c.Close(ctx)
	if _, err := o.try("reports", "r"); harness.SQLState(err) != "28P01" {
		t.Errorf("with a password that has ended: %v", err)
	}
}

func (o *operator) meetsMemoryLimit(t *testing.T) {
	boss := o.boss(t)
	_, err := boss.Exec(context.Background(), "SELECT array_agg(md5(i::text)) FROM generate_series(1, 5000000) i")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "53200" || e.Detail+e.Hint == "" {
		t.Fatalf("a statement that needs more than there is: %v", err)
	}
	t.Logf("%s\nDETAIL: %s\nHINT: %s", e.Message, e.Detail, e.Hint)
	m := scrape(t, o.metrics)
	if n := m[`saltsql_statements_total{kind="select",sqlstate_class="53"}`]; n != 1 {
		t.Errorf("%v statements are counted that lacked something", n)
	}
	if limit := m["saltsql_memory_limit_bytes"]; limit != 64<<20 {
		t.Errorf("the limit is %v", limit)
	}
	soon(t, "all memory is given back", func() bool { return scrape(t, o.metrics)["saltsql_memory_bytes"] < 4<<20 })
	harness.MustExec(t, boss, "SELECT 1")
}

func (o *operator) restores(t *testing.T) {
	ctx := context.Background()
	boss := o.boss(t)
	harness.MustExec(t, boss, "CREATE TABLE dear (k INT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4")
	harness.MustExec(t, boss, "CREATE INDEX dear_v ON dear (v)")
	harness.MustExec(t, boss, "INSERT INTO dear SELECT i, md5(i::text) FROM generate_series(1, 1000) i")
	backup, restored := filepath.Join(o.root, "backup"), filepath.Join(o.root, "restored")
	harness.MustCommand(t, "backup", "--store", o.store, backup)
	harness.MustCommand(t, "verify", backup)
	harness.MustExec(t, boss, "DROP TABLE dear")
	harness.MustCommand(t, "restore", "--store", "pebble:"+restored, backup)
	r := harness.Start(t, "pebble:"+restored, "--trust-anyone")
	defer r.Stop(t)
	cfg, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=saltsql dbname=saltsql sslmode=disable", r.Host, r.Port))
	if err != nil {
		t.Fatal(err)
	}
	from, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close(ctx)
	harness.MustExec(t, boss, "CREATE TABLE dear (k INT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4")
	harness.MustExec(t, boss, "CREATE INDEX dear_v ON dear (v)")
	var text bytes.Buffer
	if _, err := from.PgConn().CopyTo(ctx, &text, "COPY dear TO STDOUT"); err != nil {
		t.Fatal(err)
	}
	if _, err := boss.PgConn().CopyFrom(ctx, &text, "COPY dear FROM STDIN"); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := boss.QueryRow(ctx, "SELECT count(*) FROM dear WHERE v = md5(k::text)").Scan(&n); err != nil || n != 1000 {
		t.Errorf("%d rows are back: %v", n, err)
	}
}

func (o *operator) findsDamage(t *testing.T) {
	backup := filepath.Join(o.root, "backup")
	files, err := filepath.Glob(filepath.Join(backup, "files", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("the backup has no files", err)
	}
	var largest string
	var size int64
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Size() > size {
			largest, size = f, info.Size()
		}
	}
	flipByte(t, largest, size/2)
	if out, status := harness.Command(t, "verify", backup); status != 1 || !strings.Contains(out, largest) {
		t.Errorf("status %d: %s", status, out)
	}
	flipByte(t, largest, size/2)
	harness.MustCommand(t, "verify", backup)
}

// flipByte changes a bit of one byte of a file.
func flipByte(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1
	if _, err := f.WriteAt(b[:], at); err != nil {
		t.Fatal(err)
	}
}

func (o *operator) repairs(t *testing.T) {
	ctx := context.Background()
	o.Stop(t)
	o.loseIndexEntry(t, "dear_v")
	if out, status := harness.Command(t, "check", "--store", o.store); status != 1 || !strings.Contains(out, "dear_v") {
		t.Errorf("check: status %d, %s", status, out)
	}
	o.start()
	boss := o.boss(t)
	for _, want := range []int{1, 0} { // missing, and mended by then
		rows, err := boss.Query(ctx, "CHECK TABLE dear REPAIR")
		if err != nil {
			t.Fatal(err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowToMap)
		if err != nil {
			t.Fatal(err)
		}
		missing := 0
		for _, row := range list {
			if row["missing"] == "1" {
				missing++
			}
		}
		if missing != want {
			t.Errorf("%v: %d entries are missing, want %d", list, missing, want)
		}
	}
	o.Stop(t)
	harness.MustCommand(t, "check", "--store", o.store)
	o.start()
}

// loseIndexEntry deletes one entry of an index behind the engine's back.
func (o *operator) loseIndexEntry(t *testing.T, index string) {
	t.Helper()
	ctx := context.Background()
	s, err := pebble.Open(strings.TrimPrefix(o.store, "pebble:"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cat, err := live.Open(ctx, s, live.Serving(s), live.OpenOptions{Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer cat.Close()
	for _, ix := range cat.Snapshot().Table("public", "dear").Indexes {
		if ix.Name != index {
			continue
		}
		raw := s.Table(ix.Physical)
		sc, err := raw.Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		if err := sc.Next(&b); err != nil {
			t.Fatal(err)
		}
		row := storage.RowMutation{Key: bytes.Clone(b.Key(0)), Mutations: []storage.Mutation{{Op: storage.DeleteRow}}}
		sc.Close()
		if err := raw.Mutate(ctx, []storage.RowMutation{row}, storage.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("there is no index %s", index)
}

func (o *operator) seesDiskFill(t *testing.T) {
	if o.small != nil {
		t.Skip(o.small)
	}
	boss := o.boss(t)
	harness.MustExec(t, boss, "CREATE TABLE t (k int PRIMARY KEY, v varchar)")
	alarm := false // at twice the reserve, as the manual says
	for k := 0; ; k++ {
		m := scrape(t, o.metrics)
		free, reserve := m["saltsql_disk_free_bytes"], m["saltsql_disk_reserve_bytes"]
		if free < 2*reserve && m["saltsql_disk_full"] == 0 {
			alarm = true
		}
		_, err := boss.Exec(context.Background(), "INSERT INTO t SELECT $1 * 20 + j, string_agg(md5((i + $1 * 7777 + j)::text), '') FROM generate_series(1, 3000) i, generate_series(0, 19) j GROUP BY j", k)
		if harness.SQLState(err) == "53100" {
			break
		}
		if err != nil || k > 1000 {
			t.Fatalf("after %d rounds: %v", k, err)
		}
	}
	if !alarm {
		t.Error("the disk was full before the metrics told that it would be")
	}
	soon(t, "saltsql_disk_full", func() bool { return scrape(t, o.metrics)["saltsql_disk_full"] == 1 })
	harness.MustExec(t, boss, "DROP TABLE t")
	soon(t, "space", func() bool {
		_, err := boss.Exec(context.Background(), "INSERT INTO dear VALUES (0, 'after')")
		return err == nil || harness.SQLState(err) == "23505"
	})
}

func (o *operator) drains(t *testing.T) {
	ctx := context.Background()
	idle, busy := o.boss(t), o.boss(t)
	harness.MustExec(t, busy, "BEGIN")
	harness.MustExec(t, busy, "INSERT INTO dear VALUES (-1, 'last')")
	if body, status := get(t, "http://"+o.metrics+"/readyz"); status != http.StatusOK {
		t.Errorf("%d: %s", status, body)
	}
	if err := o.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	soon(t, "not ready", func() bool {
		_, status := get(t, "http://"+o.metrics+"/readyz")
		return status == http.StatusServiceUnavailable
	})
	if _, status := get(t, "http://"+o.metrics+"/healthz"); status != http.StatusOK {
		t.Errorf("a server that ends is not alive: %d", status)
	}
	if _, err := idle.Exec(ctx, "SELECT 1"); err == nil {
		t.Error("an idle client goes on")
	} else if s := harness.SQLState(err); s != "57P01" {
		t.Errorf("an idle client is told %s: %v", s, err)
	}
	if _, err := o.try("saltsql", "first"); err == nil {
		t.Error("a client is taken by a server that ends")
	}
	harness.MustExec(t, busy, "COMMIT")
	if err := o.Wait(); err != nil {
		t.Errorf("the server does not end well: %v", err)
	}
	o.start()
	var n int
	if err := o.boss(t).QueryRow(ctx, "SELECT count(*) FROM dear WHERE k = -1").Scan(&n); err != nil || n != 1 {
		t.Errorf("what was committed while the server ended is there %d times: %v", n, err)
	}
	o.Stop(t)
}
