package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/ident"
)

// firstPassword lets somebody into a store in which no role has a password: the bootstrap
// role gets that of SALTSQL_PASSWORD, or one that is made here and printed this once.
func firstPassword(ctx context.Context, db *saltsql.DB, stdout io.Writer) error {
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		return err
	}
	defer s.Close()
	rows, err := s.Query(ctx, "SELECT current_user, count(rolpassword) FROM pg_authid")
	if err != nil {
		return err
	}
	name, have := "", int64(0)
	for rows.Next() {
		if err := rows.Scan(&name, &have); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil || have > 0 {
		return err
	}
	password, told := os.Getenv("SALTSQL_PASSWORD"), true
	if password == "" {
		password, told = rand.Text(), false
	}
	_, err = s.Exec(ctx, "ALTER ROLE CURRENT_USER PASSWORD '"+strings.ReplaceAll(password, "'", "''")+"'")
	if err == nil && !told {
		fmt.Fprintf(stdout, "\nThe user %s has the password %s, which is shown this once.\nChange it with ALTER ROLE %s PASSWORD '…'.\n", name, password, ident.Quote(name))
	}
	return err
}
