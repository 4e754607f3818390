package console

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/verifier"
	"github.com/saltsql/saltsql/storage/mem"
)

// openDB makes a database in memory with a salted table that has rows and an index.
func openDB(t testing.TB) *saltsql.DB {
	t.Helper()
	store := mem.New()
	db, err := saltsql.Open(t.Context(), store, &saltsql.Options{TrackStatements: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); store.Close() })
	for _, text := range []string{
		`CREATE TABLE metrics (host VARCHAR, ts BIGINT, cpu DOUBLE PRECISION, mem DOUBLE PRECISION, PRIMARY KEY (host, ts DESC)) SALT_BUCKETS = 8`,
		`INSERT INTO metrics SELECT 'web-' || i % 5, i, i, i FROM generate_series(1, 400) i`,
		`CREATE INDEX metrics_cpu ON metrics (cpu)`,
		`CREATE TABLE plain (a INT PRIMARY KEY, "<b>" TEXT DEFAULT '<script>alert(1)</script>')`,
		`SELECT host, ts, mem FROM metrics WHERE host = 'web-1' ORDER BY host, ts DESC LIMIT 3`,
	} {
		if _, err := db.Exec(t.Context(), text); err != nil {
			t.Fatal(text, err)
		}
	}
	return db
}

// serve serves a console until the test ends, and gives it with the address of its pages.
func serve(t testing.TB, db *saltsql.DB, cfg Config) (c *Console, base string) {
	t.Helper()
	c = New(db, cfg)
	c.failDelay = 0
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- c.Serve(ln) }()
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	u, _, _ := strings.Cut(c.URL(ln.Addr()), "?")
	return c, strings.TrimSuffix(u, "/")
}

// browser is a client that keeps cookies and follows no redirects.
func browser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
}

// send sends a request with headers, "Name: value", and gives the status and the body.
func send(t testing.TB, b *http.Client, method, address, body string, headers ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	reply, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(text), reply.Header
}

// withToken gives a browser that has logged in by the token.
func withToken(t testing.TB, c *Console, base string) *http.Client {
	t.Helper()
	b := browser(t)
	if status, _, h := send(t, b, "GET", base+"/?token="+c.token, ""); status != http.StatusSeeOther || h.Get("Location") != "/" {
		t.Fatal(status, h)
	}
	return b
}

// ran sends a statement of the SQL page.
func ran(t testing.TB, b *http.Client, base, text string) (a answer) {
	t.Helper()
	body, _ := json.Marshal(asked{Statement: text})
	status, reply, _ := send(t, b, "POST", base+"/q/sql", string(body))
	if err := json.Unmarshal([]byte(reply), &a); status != http.StatusOK || err != nil {
		t.Fatal(status, reply, err)
	}
	return a
}

// TestStrangers: without a login there is nothing but the form, and no guess is one.
func TestStrangers(t *testing.T) {
	c, base := serve(t, openDB(t), Config{})
	b := browser(t)
	for _, x := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/", "", 303}, {"GET", "/q/tables", "", 401}, {"GET", "/q/nothing", "", 401}, {"POST", "/q/sql", `{"statement":"SELECT 1"}`, 401},
		{"GET", "/?token=", "", 401}, {"GET", "/?token=" + c.token[1:], "", 401}, {"POST", "/login", "token=x", 401},
		{"GET", "/login", "", 200}, {"GET", "/web/style.css", "", 200}, {"GET", "/web/index.html", "", 404}, {"GET", "/web/../console.go", "", 307}, {"GET", "/web/%2e%2e/console.go", "", 404},
		{"GET", "/web/", "", 404}, {"PUT", "/q/sql", "", 405}, {"GET", "/sql/tables.sql", "", 404},
	} {
		form := "Content-Type: application/x-www-form-urlencoded"
		if status, body, h := send(t, b, x.method, base+x.path, x.body, form); status != x.want || len(h.Values("Set-Cookie")) > 0 {
			t.Errorf("%s %s: %d %.60s %v, want %d", x.method, x.path, status, body, h["Set-Cookie"], x.want)
		}
	}
	if status, _, _ := send(t, b, "GET", base+"/q/tables", "", "Cookie: "+cookieName(base)+"=guess"); status != 401 {
		t.Error("a guessed cookie is taken:", status)
	}
}

func cookieName(base string) string {
	u, _ := url.Parse(base)
	return "saltsql_" + u.Port()
}

// TestOtherSites: what the pages of other sites can make a browser send is refused, also with the
// cookie of a login.
func TestOtherSites(t *testing.T) {
	c, base := serve(t, openDB(t), Config{})
	b := withToken(t, c, base)
	port := strings.TrimPrefix(base, "http://127.0.0.1:")
	for _, x := range []struct {
		method, path string
		header       string
		want         int
	}{
		{"GET", "/q/now", "", 200}, {"GET", "/", "", 200},
		{"GET", "/q/now", "Host: localhost:" + port, 401}, // another host, and no cookie of it
		{"GET", "/q/now", "Host: evil.example:" + port, 421}, {"GET", "/", "Host: evil.example", 421}, {"GET", "/web/app.js", "Host: 192.0.2.7", 421},
		{"POST", "/q/sql", "Origin: http://evil.example", 403}, {"POST", "/q/sql", "Sec-Fetch-Site: cross-site", 403}, {"POST", "/q/sql", "Sec-Fetch-Site: same-site", 403},
		{"POST", "/q/sql", "Origin: http://127.0.0.1:1", 403}, {"POST", "/logout", "Origin: http://evil.example", 403}, {"POST", "/login", "Sec-Fetch-Site: cross-site", 403},
		{"GET", "/q/now", "Sec-Fetch-Site: cross-site", 403}, {"GET", "/q/now", "Sec-Fetch-Site: same-site", 403}, {"GET", "/web/app.js", "Sec-Fetch-Site: cross-site", 403},
		{"GET", "/q/now", "Sec-Fetch-Site: same-origin", 200}, {"POST", "/q/sql", "Origin: http://127.0.0.1:" + port, 200},
	} {
		var headers []string
		if x.header != "" {
			headers = append(headers, x.header)
		}
		if strings.HasPrefix(x.header, "Host: localhost") {
			b := browser(t)
			if status, _, _ := send(t, b, x.method, base+x.path, "", headers...); status != x.want {
				t.Errorf("%s %s, %s: %d, want %d", x.method, x.path, x.header, status, x.want)
			}
			continue
		}
		status, body, h := send(t, b, x.method, base+x.path, `{"statement":"SELECT 1"}`, headers...)
		if status != x.want {
			t.Errorf("%s %s, %s: %d %.80s, want %d", x.method, x.path, x.header, status, body, x.want)
		}
		if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self';") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s: %v", x.method, x.path, h)
		}
	}
}

// TestReadOnly: no statement of the console changes anything.
func TestReadOnly(t *testing.T) {
	db := openDB(t)
	c, base := serve(t, db, Config{})
	b := withToken(t, c, base)
	for _, x := range []struct{ text, code string }{
		{"DELETE FROM metrics", "0A000"}, {"DELETE FROM metrics RETURNING host", "25006"}, {"CREATE TABLE x (a INT PRIMARY KEY)", "0A000"},
		{"WITH d AS (DELETE FROM metrics RETURNING 1) SELECT count(*) FROM d", "25006"}, {"SELECT 1 INTO y", "0A000"},
		{"EXPLAIN ANALYZE DELETE FROM metrics", "25006"}, {"SELECT 1; DELETE FROM metrics", "42601"}, {"COMMIT", "0A000"}, {"SET default_transaction_read_only = off", "0A000"},
		{"VACUUM", "0A000"}, {"ANALYZE metrics", "0A000"}, {"COPY metrics FROM STDIN", "0A000"}, {"COPY metrics TO STDOUT", "0A000"},
		{"SELECT set_config('transaction_read_only', 'off', true)", "25001"}, {"TRUNCATE metrics", "0A000"}, {"SELECT * FROM metrics FOR UPDATE", "25006"},
		{"WITH c AS (SELECT set_config('default_transaction_read_only', 'off', false)), d AS (DELETE FROM metrics RETURNING 1) SELECT count(*) FROM c, d", "25006"},
		{"", "0A000"}, {"SELECT", ""}, {"SELECT nope FROM metrics", "42703"},
	} {
		if a := ran(t, b, base, x.text); a.Error == nil != (x.code == "") || a.Error != nil && a.Error.Code != x.code {
			if x.text == "SELECT" { // no columns, as a statement that gives no rows
				continue
			}
			t.Errorf("%s: %+v, want %s", x.text, a.Error, x.code)
		}
	}
	if n, err := saltsql.One[int](t.Context(), db, "SELECT count(*) FROM metrics"); n != 400 || err != nil {
		t.Error(n, err)
	}
	if sessions := db.Sessions(); len(sessions) > 0 {
		t.Errorf("sessions are left open: %+v", sessions)
	}
}

// TestBounds: rows, values, bodies, logins.
func TestBounds(t *testing.T) {
	c, base := serve(t, openDB(t), Config{})
	b := withToken(t, c, base)
	if a := ran(t, b, base, "SELECT i FROM generate_series(1, 1001) i"); len(a.Rows) != maxRows || !a.More {
		t.Error(len(a.Rows), a.More)
	}
	if a := ran(t, b, base, "SELECT i FROM generate_series(1, 1000) i"); len(a.Rows) != maxRows || a.More || a.Tag != "SELECT 1000" {
		t.Error(len(a.Rows), a.More, a.Tag)
	}
	if a := ran(t, b, base, "SELECT repeat('é', 100000)"); len(*a.Rows[0][0]) > maxCell || !a.Cut || strings.Trim(*a.Rows[0][0], "é") != "" {
		t.Error(len(*a.Rows[0][0]), a.Cut)
	}
	if a := ran(t, b, base, "SELECT repeat('x', 100000) FROM generate_series(1, 500)"); len(a.Rows) > 50 || !a.More {
		t.Error(len(a.Rows), a.More)
	}
	if a := ran(t, b, base, "SELECT NULL, ''"); a.Rows[0][0] != nil || *a.Rows[0][1] != "" {
		t.Error(a.Rows)
	}
	if status, _, _ := send(t, b, "POST", base+"/q/sql", `{"statement":"`+strings.Repeat(" ", maxStatement)+`"}`); status != http.StatusBadRequest {
		t.Error("a statement of any length is read:", status)
	}
	if status, body, _ := send(t, b, "GET", base+"/q/buckets?p=1&p=2", ""); status != 200 || !strings.Contains(body, `"error"`) {
		t.Error(status, body)
	}
	now := time.Now()
	for range 2 * maxLogins {
		c.logins.add("u", "", now)
	}
	if n := len(c.logins.m); n != maxLogins {
		t.Error(n, "logins are kept")
	}
}

// TestPasswords: who has no password that holds has no login, before it and after.
func TestPasswords(t *testing.T) {
	db := openDB(t)
	for _, text := range []string{"CREATE ROLE ann LOGIN", "CREATE ROLE mute"} {
		if _, err := db.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	v, err := verifier.New("secret", verifier.Iterations)
	if err != nil {
		t.Fatal(err)
	}
	var clock atomic.Int64
	users := map[string]string{"ann": v.String(), "mute": v.String()}
	_, base := serve(t, db, Config{
		Verifier: func(user string, from netip.Addr, encrypted bool) (string, bool) {
			text, ok := users[user]
			return text, ok && from.IsLoopback() && !encrypted
		},
		Now: func() time.Time { return time.Unix(clock.Load(), 0) },
	})
	b := browser(t)
	enter := func(user, password string) int {
		status, _, h := send(t, b, "POST", base+"/login", url.Values{"user": {user}, "password": {password}, "token": {""}}.Encode(), "Content-Type: application/x-www-form-urlencoded")
		if cookie := h.Get("Set-Cookie"); status == 303 && !(strings.Contains(cookie, "HttpOnly") && strings.Contains(cookie, "SameSite=Strict")) {
			t.Error(cookie)
		}
		return status
	}
	seen := func() int {
		status, body, _ := send(t, b, "GET", base+"/q/now", "")
		if status == 200 && !strings.Contains(body, `"ann"`) {
			t.Error(body)
		}
		return status
	}
	for _, x := range []struct {
		user, password string
		want           int
	}{
		{"ann", "Secret", 401}, {"ann", "", 401}, {"nobody", "secret", 401}, {"", "", 401}, {"mute", "secret", 401}, {"ann", "secret", 303},
	} {
		if status := enter(x.user, x.password); status != x.want {
			t.Errorf("%s, %s: %d", x.user, x.password, status)
		}
	}
	if status := seen(); status != 200 {
		t.Fatal(status)
	}
	if status, _, _ := send(t, b, "GET", base+"/?token=", ""); status != 401 {
		t.Error("a token where there is none:", status)
	}
	// What ann may not see is not shown to her.
	if a := ran(t, b, base, "SELECT * FROM metrics"); a.Error == nil || a.Error.Code != "42501" {
		t.Error(a.Error)
	}
	if a := ran(t, b, base, "SELECT * FROM saltsql.bucket_skew"); a.Error == nil || a.Error.Code != "42501" {
		t.Error(a.Error)
	}
	// Time, another password, no role, and the way out.
	clock.Add(int64(maxIdle/time.Second) + 1)
	if status := seen(); status != 401 {
		t.Error("an idle login lasts:", status)
	}
	for _, end := range []struct {
		what string
		do   func()
	}{
		{"another password", func() { w, _ := verifier.New("secret", verifier.Iterations); users["ann"] = w.String() }},
		{"logging out", func() { send(t, b, "POST", base+"/logout", "") }},
		{"the role's end", func() { delete(users, "ann") }},
	} {
		if status := enter("ann", "secret"); status != 303 || seen() != 200 {
			t.Fatal(end.what, status)
		}
		if end.do(); seen() != 401 {
			t.Errorf("a login outlives %s", end.what)
		}
	}
}

// TestBeyondLoopback: other machines reach the console by TLS and with passwords, or not at all.
func TestBeyondLoopback(t *testing.T) {
	db := openDB(t)
	cert := selfSigned(t, "console.example")
	withTLS := func() *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert}
	}
	passwords := func(string, netip.Addr, bool) (string, bool) { return "", false }
	wide := &net.TCPAddr{IP: net.IPv4zero, Port: 1}
	for i, cfg := range []Config{{}, {TLS: withTLS}, {Verifier: passwords}} {
		if New(db, cfg).MayServe(wide) == nil {
			t.Errorf("%d may serve anyone", i)
		}
	}
	if err := New(db, Config{}).MayServe(&net.UnixAddr{}); err == nil {
		t.Error("a Unix socket is no loopback")
	}
	cfg := Config{TLS: withTLS, Verifier: passwords}
	if err := New(db, cfg).MayServe(wide); err != nil {
		t.Error(err)
	}
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	if err := New(db, Config{}).Serve(ln); err == nil {
		t.Error("it serves anyone")
	}
	if _, err := net.Dial("tcp", ln.Addr().String()); err == nil {
		t.Error("the listener that it does not serve is left open")
	}
	c, base := serve(t, db, Config{TLS: withTLS})
	b := withToken(t, c, base) // without a certificate of its own
	cookies := func() string {
		_, _, h := send(t, b, "GET", base+"/?token="+c.token, "")
		return h.Get("Set-Cookie")
	}()
	if !strings.HasPrefix(cookies, "__Host-") || !strings.Contains(cookies, "Secure") {
		t.Error(cookies)
	}
	for host, want := range map[string]int{"console.example": 303, "other.example": 421, "localhost:1": 303, "[::1]:1": 303, "127.0.0.2": 303} {
		if status, _, _ := send(t, browser(t), "GET", base+"/", "", "Host: "+host); status != want {
			t.Errorf("%s: %d, want %d", host, status, want)
		}
	}
}

func selfSigned(t testing.TB, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &key.PublicKey, key)
	if err == nil {
		leaf, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// TestCloseEndsStatements: a statement that runs ends with its console.
func TestCloseEndsStatements(t *testing.T) {
	c := New(openDB(t), Config{})
	done := make(chan *answer)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- c.run(ctx, "", "SELECT pg_sleep(60)") }()
	for len(c.slots) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if a := <-done; a.Error == nil || a.Error.Code != "57014" {
		t.Error(a.Error)
	}
}

// TestPanels runs each panel as a plain session does, and by the console, which gives the same columns
// and, where they do not change meanwhile, the same rows.
func TestPanels(t *testing.T) {
	db := openDB(t)
	c, base := serve(t, db, Config{})
	b := withToken(t, c, base)
	oid, err := saltsql.One[string](t.Context(), db, "SELECT 'metrics'::regclass::oid::text")
	if err != nil {
		t.Fatal(err)
	}
	args := map[string][]any{"buckets": {oid}, "columns": {oid}, "definition": {oid}, "heat_buckets": {oid, ""}, "heat_minutes": {oid, ""}, "query": {"1"}}
	least := map[string]int{"tables": 2, "buckets": 8, "columns": 4, "definition": 2, "heat": 2, "heat_buckets": 8, "heat_minutes": 1, "queries": 4, "now": 1, "overview": 1, "sessions": 1}
	same := map[string]bool{"tables": true, "buckets": true, "columns": true, "definition": true, "heat": true, "heat_buckets": true, "jobs": true}
	for name, text := range panels {
		s, err := db.NewSession(saltsql.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := s.Query(t.Context(), text, args[name]...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			s.Close()
			continue
		}
		var want [][]string
		for rows.Next() {
			row := make([]string, len(rows.Columns()))
			for i := range row {
				row[i] = rows.Text(i)
			}
			want = append(want, row)
		}
		if err := rows.Close(); err != nil || len(want) < least[name] || len(want) > maxRows {
			t.Errorf("%s: %d rows, %v", name, len(want), err)
		}
		s.Close()
		q := url.Values{}
		for _, a := range args[name] {
			q.Add("p", fmt.Sprint(a))
		}
		status, body, _ := send(t, b, "GET", base+"/q/"+name+"?"+q.Encode(), "")
		var a answer
		if err := json.Unmarshal([]byte(body), &a); status != 200 || err != nil || a.Error != nil || a.SQL != text {
			t.Errorf("%s: %d %s %v", name, status, body, err)
			continue
		}
		var got [][]string
		for _, r := range a.Rows {
			row := make([]string, len(r))
			for i, v := range r {
				if v != nil {
					row[i] = *v
				}
			}
			got = append(got, row)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) && same[name] {
			t.Errorf("%s: the console gives %v, a session %v", name, got, want)
		}
	}
	if len(panels) < 10 {
		t.Error(len(panels), "panels")
	}
}

// TestFilesAreFew: what a browser loads is small, and nothing in it is of elsewhere.
func TestFilesAreFew(t *testing.T) {
	list, err := web.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, f := range list {
		b, err := web.ReadFile("web/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		sum += len(b)
		for _, elsewhere := range []string{"http://", "https://", "style=\"", "onclick=\"", "innerHTML"} {
			if text := strings.ReplaceAll(string(b), "http://www.w3.org/2000/svg", ""); strings.Contains(text, elsewhere) {
				t.Errorf("%s has %s", f.Name(), elsewhere)
			}
		}
	}
	if sum > 150<<10 {
		t.Errorf("the files have %d bytes", sum)
	}
}
