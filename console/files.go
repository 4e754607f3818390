package console

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"net/http"
	"path"
	"strings"
)

//go:embed web
var web embed.FS

// files answers with the files of web/, which tell nothing of the server: pages are given by page.
var files fileServer

type fileServer struct{}

// types are those of the files that there are, whatever the machine thinks of their names.
var types = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func (fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := types[path.Ext(r.URL.Path)]
	b, err := web.ReadFile(strings.TrimPrefix(path.Clean(r.URL.Path), "/"))
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(b)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	h.Set("Content-Type", kind)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(b) // a browser that has gone
}

// page answers with an HTML file, and a message where it has room for one.
func (fileServer) page(w http.ResponseWriter, status int, name, message string) {
	b, err := web.ReadFile("web/" + name)
	if err != nil {
		http.Error(w, "There is no such page.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(strings.Replace(string(b), "<!--message-->", html.EscapeString(message), 1)))
}
