package console

import (
	"net"
	"net/http"
	"net/netip"
)

// loopback says that only this machine can reach addr.
func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// guarded refuses what a page of another site may make a browser send, before anything is looked
// at, and tells the browser what this site's pages may do.
//
//	Host              a name that an attacker's DNS points here (rebinding) is not one of ours: 421
//	Sec-Fetch-Site,   a form or script of another site, or of another port of this host: 403
//	Origin
//	CSP and others    no script, frame, font or request of elsewhere, even where a text that is shown
//	                  were taken for HTML
func (c *Console) guarded(addr net.Addr, next http.Handler) http.Handler {
	next = http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if c.cfg.TLS != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !c.ours(r.Host) {
			http.Error(w, "The console does not go by this name: open it by the address that the server prints, or by a name of its certificate.", http.StatusMisdirectedRequest)
			return
		}
		// Reads too: their answers are hidden from another origin, but they cost work here.
		if site := r.Header.Get("Sec-Fetch-Site"); r.URL.Path != "/" && r.URL.Path != "/login" && (site == "cross-site" || site == "same-site") {
			http.Error(w, "This request comes from a page of another site.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ours says that a Host header names this server: as loopback's names do, which no DNS gives to
// others, and those of the certificate. The port may be that of a tunnel.
func (c *Console) ours(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return true
	}
	if c.cfg.TLS == nil {
		return false
	}
	for _, pair := range c.cfg.TLS().Certificates {
		if pair.Leaf != nil && pair.Leaf.VerifyHostname(host) == nil {
			return true
		}
	}
	return false
}

// fromOf is the address of a request's client.
func fromOf(r *http.Request) netip.Addr {
	a, _ := netip.ParseAddrPort(r.RemoteAddr)
	return a.Addr().Unmap()
}
