package sessiontest

import (
	"context"
	"strings"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
)

// Rows runs a statement and gives its rows in their order, each as "|1|x".
func Rows(s *session.Session, text string) (rows []string, err error) {
	r, err := goapi.Query(context.Background(), s, text)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for r.Next() {
		var row strings.Builder
		for i := range r.Columns() {
			row.WriteString("|" + r.Text(i))
		}
		rows = append(rows, row.String())
	}
	return rows, r.Err()
}
