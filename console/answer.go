package console

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/saltsql/saltsql"
)

const (
	// timeout is how long a statement may take.
	timeout = 10 * time.Second
	//saltsql:limit connections: rows of a statement that the console shows
	maxRows = 1000
	// maxCell is how much of a value is shown, and maxAnswer of all values, in bytes.
	maxCell   = 100 << 10
	maxAnswer = 4 << 20
)

// answer is what a statement gave. Values are texts as PostgreSQL prints them, or null.
type answer struct {
	SQL     string      `json:"sql,omitempty"` // of a panel
	Columns []column    `json:"columns"`
	Rows    [][]*string `json:"rows"`
	More    bool        `json:"more,omitempty"` // there are more rows than these
	Cut     bool        `json:"cut,omitempty"`  // a value is longer than what is shown of it
	Notices []failure   `json:"notices,omitempty"`
	Millis  float64     `json:"ms"`
	Tag     string      `json:"tag,omitempty"` // where the statement ran to its end
	Error   *failure    `json:"error,omitempty"`
}

type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// failure is an error or a notice, as psql shows it.
type failure struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Detail   string `json:"detail,omitempty"`
	Hint     string `json:"hint,omitempty"`
	Position int    `json:"position,omitempty"` // in characters from 1
}

// run runs one statement as user, read-only, in a session of its own, which ends with it: what a
// statement sets or locks is gone with its answer.
func (c *Console) run(ctx context.Context, user, text string, args ...any) *answer {
	a := &answer{Columns: []column{}, Rows: [][]*string{}}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		a.Error = &failure{Severity: "ERROR", Code: "53300", Message: "sorry, too many statements of the console already"}
		return a
	}
	began := time.Now()
	err := c.fill(ctx, a, user, text, args)
	a.Millis = float64(time.Since(began).Microseconds()) / 1000
	var e *saltsql.Error
	switch {
	case err == nil:
	case errors.As(err, &e):
		a.Error = failureOf(e)
	case errors.Is(err, context.DeadlineExceeded):
		a.Error = &failure{Severity: "ERROR", Code: "57014", Message: "canceling statement due to statement timeout"}
	default:
		a.Error = &failure{Severity: "ERROR", Code: "XX000", Message: err.Error()}
	}
	return a
}

func failureOf(e *saltsql.Error) *failure {
	return &failure{e.Severity, e.Code, e.Message, e.Detail, e.Hint, e.Position}
}

func (c *Console) fill(ctx context.Context, a *answer, user, text string, args []any) error {
	s, err := c.db.NewSession(saltsql.SessionOptions{
		User: user, ApplicationName: "saltsql console",
		Settings: map[string]string{"default_transaction_read_only": "on"},
		Notice:   func(n *saltsql.Notice) { a.notice(n) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	// A block: some statements that PostgreSQL lets pass in a read-only session, as VACUUM, run in none.
	if _, err := s.Exec(ctx, "BEGIN READ ONLY"); err != nil {
		return err
	}
	st, err := s.Prepare(ctx, text)
	if err != nil {
		return err
	}
	if len(st.Columns()) == 0 {
		return &saltsql.Error{
			Severity: "ERROR", Code: "0A000", Message: "the console runs statements that give rows",
			Hint: "Run this one by psql, or by another client.",
		}
	}
	rows, err := st.Query(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for _, col := range rows.Columns() {
		a.Columns = append(a.Columns, column{col.Name, col.Type.String()})
	}
	left := maxAnswer
	for rows.Next() {
		if len(a.Rows) == maxRows || left <= 0 {
			a.More = true
			return nil
		}
		row := make([]*string, len(a.Columns))
		for i := range row {
			if rows.Null(i) {
				continue
			}
			text := rows.Text(i)
			if short := cut(text); len(short) < len(text) {
				text, a.Cut = short, true
			}
			left -= len(text) + 1
			row[i] = &text
		}
		a.Rows = append(a.Rows, row)
	}
	a.Tag = string(rows.Tag())
	return rows.Err()
}

// notice keeps the first few.
func (a *answer) notice(n *saltsql.Notice) {
	if len(a.Notices) < 20 {
		a.Notices = append(a.Notices, *failureOf((*saltsql.Error)(n)))
	}
}

// cut shortens a text to maxCell, at a character's end.
func cut(text string) string {
	if len(text) <= maxCell {
		return text
	}
	n := maxCell
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
