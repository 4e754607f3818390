package console

import (
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	//saltsql:limit connections: logins to the console that are kept; one more ends the one that was used the longest ago
	maxLogins = 256
	// maxLogin is how long a login lasts, and maxIdle how long one that nobody uses.
	maxLogin = 12 * time.Hour
	maxIdle  = time.Hour
)

// login is a browser that has shown who its user is.
type login struct {
	user     string
	verifier string // by which the password was checked; empty with the token
	began    time.Time
	used     time.Time
}

// logins are those of now, by the hash of their cookie: what is looked up takes no time that tells
// of the cookies that there are.
type logins struct {
	mu sync.Mutex
	m  map[[sha256.Size]byte]login
}

// add keeps a login and gives the value of its cookie.
func (l *logins) add(user, verifier string, now time.Time) (cookie string) {
	cookie = rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.m == nil {
		l.m = map[[sha256.Size]byte]login{}
	}
	if len(l.m) >= maxLogins {
		var oldest [sha256.Size]byte
		at := now
		for k, v := range l.m {
			if !v.used.After(at) {
				oldest, at = k, v.used
			}
		}
		delete(l.m, oldest)
	}
	l.m[sha256.Sum256([]byte(cookie))] = login{user, verifier, now, now}
	return cookie
}

// get gives the login of a cookie, as long as it lasts and valid holds, and notes that it was used.
func (l *logins) get(cookie string, now time.Time, valid func(login) bool) (login, bool) {
	k := sha256.Sum256([]byte(cookie))
	l.mu.Lock()
	defer l.mu.Unlock()
	v, ok := l.m[k]
	if !ok {
		return v, false
	}
	if now.Sub(v.began) > maxLogin || now.Sub(v.used) > maxIdle || !valid(v) {
		delete(l.m, k)
		return v, false
	}
	v.used = now
	l.m[k] = v
	return v, true
}

func (l *logins) remove(cookie string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.m, sha256.Sum256([]byte(cookie)))
}

// cookie is one of this console: consoles on other ports of a host see each other's cookies, and the
// prefix __Host- keeps those of plain HTTP from taking the place of an encrypted one.
func (c *Console) cookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	name := "saltsql"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "_" + port
	}
	if c.cfg.TLS != nil {
		name = "__Host-" + name
	}
	return &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: c.cfg.TLS != nil, SameSite: http.SameSiteStrictMode,
	}
}

// who gives the login of a request. A role that is gone, or has another password, has none: a
// session of a name without a role would have all rights.
func (c *Console) who(r *http.Request) (login, bool) {
	sent, err := r.Cookie(c.cookie(r, "", 0).Name)
	if err != nil {
		return login{}, false
	}
	return c.logins.get(sent.Value, c.cfg.Now(), func(l login) bool {
		if c.cfg.Verifier == nil {
			return true
		}
		v, ok := c.cfg.Verifier(l.user, fromOf(r), r.TLS != nil)
		return ok && v == l.verifier
	})
}

// loggedIn answers 401 to who is not.
func (c *Console) loggedIn(next func(http.ResponseWriter, *http.Request, string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l, ok := c.who(r)
		if !ok {
			http.Error(w, "Log in first.", http.StatusUnauthorized)
			return
		}
		next(w, r, l.user)
	})
}
