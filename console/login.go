package console

import (
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/verifier"
)

const (
	// failedLoginDelay is how long a browser waits for the answer that its password is wrong, and
	// maxChecks how many may wait: who guesses passwords gets no further than four a second.
	failedLoginDelay = time.Second
	maxChecks        = 4
	// maxForm bounds the form of a login, in bytes.
	maxForm = 16 << 10
)

// index is the page of all pages. The token in its address becomes a cookie, and leaves the address.
func (c *Console) index(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("token") {
		if !c.isToken(r.URL.Query().Get("token")) {
			c.refuse(w, "The token in this address is not that of the server that runs now.")
			return
		}
		c.enter(w, r, c.cfg.User, "")
		return
	}
	if _, ok := c.who(r); !ok {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	files.page(w, http.StatusOK, "index.html", "")
}

func (c *Console) loginPage(w http.ResponseWriter, r *http.Request) {
	c.form(w, http.StatusOK, "")
}

// form asks for what logs in here: a name and a password, or the token.
func (c *Console) form(w http.ResponseWriter, status int, message string) {
	name := "login.html"
	if c.cfg.Verifier == nil {
		name = "token.html"
	}
	files.page(w, status, name, message)
}

// refuse asks again, after a while, with one of a few messages.
func (c *Console) refuse(w http.ResponseWriter, message string) {
	time.Sleep(c.failDelay)
	c.form(w, http.StatusUnauthorized, message)
}

func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form of a login cannot be read.", http.StatusBadRequest)
		return
	}
	select {
	case c.checks <- struct{}{}:
		defer func() { <-c.checks }()
	case <-r.Context().Done():
		return
	}
	if c.cfg.Verifier == nil {
		if !c.isToken(strings.TrimSpace(r.PostForm.Get("token"))) {
			c.refuse(w, "This is not the token that the server printed at its start.")
			return
		}
		c.enter(w, r, c.cfg.User, "")
		return
	}
	user := r.PostForm.Get("user")
	text, ok := c.cfg.Verifier(user, fromOf(r), r.TLS != nil)
	if !checkPassword(text, ok, r.PostForm.Get("password")) {
		c.cfg.Logger.Warn("authentication failed", "user", user, "remote", r.RemoteAddr, "door", "console")
		c.refuse(w, "The name or the password is wrong.")
		return
	}
	// A role may have a password and no right to log in.
	s, err := c.db.NewSession(saltsql.SessionOptions{User: user})
	if err != nil {
		c.cfg.Logger.Warn("authentication failed", "user", user, "remote", r.RemoteAddr, "door", "console", "error", err)
		c.refuse(w, "This role may not log in.")
		return
	}
	s.Close()
	c.enter(w, r, user, text)
}

// checkPassword takes as long for a user that there is none of.
func checkPassword(text string, known bool, password string) bool {
	v, err := verifier.Parse(text)
	if known = known && err == nil; !known {
		v = verifier.Verifier{Iterations: verifier.Iterations, Salt: []byte("no such user"), StoredKey: make([]byte, 32)}
	}
	return v.Matches(password) && known
}

func (c *Console) isToken(token string) bool {
	return c.cfg.Verifier == nil && subtle.ConstantTimeCompare([]byte(token), []byte(c.token)) == 1
}

func (c *Console) enter(w http.ResponseWriter, r *http.Request, user, verifier string) {
	http.SetCookie(w, c.cookie(r, c.logins.add(user, verifier, c.cfg.Now()), maxLogin))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request) {
	none := c.cookie(r, "", -time.Second)
	if sent, err := r.Cookie(none.Name); err == nil {
		c.logins.remove(sent.Value)
	}
	http.SetCookie(w, none)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}
