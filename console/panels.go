package console

import (
	"embed"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
)

//go:embed sql
var sqlFiles embed.FS

// panels are the statements of sql/, by their names. Their $1, $2, … are the values of p in a
// request's address, in their order.
var panels = func() map[string]string {
	m := map[string]string{}
	list, err := sqlFiles.ReadDir("sql")
	for _, f := range list {
		var b []byte
		if b, err = sqlFiles.ReadFile("sql/" + f.Name()); err != nil {
			break
		}
		m[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = strings.TrimSpace(string(b))
	}
	if err != nil {
		panic(err) // the files are part of the program
	}
	return m
}()

// maxStatement bounds the text of a statement, in bytes.
const maxStatement = 1 << 20

// panel answers GET /q/NAME?p=…&p=… with the rows of a panel.
func (c *Console) panel(w http.ResponseWriter, r *http.Request, user string) {
	text, ok := panels[r.PathValue("panel")]
	if !ok {
		http.Error(w, "There is no such panel.", http.StatusNotFound)
		return
	}
	var args []any
	for _, p := range r.URL.Query()["p"] {
		args = append(args, p)
	}
	a := c.run(r.Context(), user, text, args...)
	a.SQL = text
	c.write(w, a)
}

// asked is the body of POST /q/sql.
type asked struct {
	Statement string
	Plan      bool // the plan, as EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) has it, in the place of the rows
}

// statement answers POST /q/sql with the rows, or the plan, of a statement that the user has written.
func (c *Console) statement(w http.ResponseWriter, r *http.Request, user string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxStatement))
	var q asked
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil {
		http.Error(w, "The statement cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	if q.Plan {
		q.Statement = "EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) " + q.Statement
	}
	c.write(w, c.run(r.Context(), user, q.Statement))
}

func (c *Console) write(w http.ResponseWriter, a *answer) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // it is no HTML, and says so
	if err := e.Encode(a); err != nil {
		c.cfg.Logger.Debug("a browser has gone before its answer", "error", err)
	}
}
