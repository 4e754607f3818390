package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/ident"
	scram "github.com/saltsql/saltsql/internal/verifier"
)

// firstPassword lets somebody into a store in which no role has a password: the bootstrap
// role gets that of SALTSQL_PASSWORD, or one that is made here and printed this once. Of servers that
// share a store, and start at once, one does so.
func firstPassword(ctx context.Context, cat *live.Catalog, stdout io.Writer) error {
	password, told := os.Getenv("SALTSQL_PASSWORD"), true
	if password == "" {
		password, told = rand.Text(), false
	}
	v, err := scram.New(password, scram.Iterations)
	if err != nil {
		return fmt.Errorf("SALTSQL_PASSWORD: %w", err)
	}
	set, err := cat.FirstPassword(ctx, v.String())
	if set && !told {
		name := cat.Snapshot().RoleByID(catalog.BootstrapRole).Name
		fmt.Fprintf(stdout, "\nThe user %s has the password %s, which is shown this once.\nChange it with ALTER ROLE %s PASSWORD '…'.\n", name, password, ident.Quote(name))
	}
	return err
}
