package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/settings"
)

// TestParametersOfPostgres holds that every parameter that a session of PostgreSQL may set is one
// here, of the same type, unit, words and, where it is fixed, default. Those of its developers are
// left out, and those whose default would not be true here.
func TestParametersOfPostgres(t *testing.T) {
	ctx := context.Background()
	pg, err := pgconn.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(ctx)
	out, err := pg.Exec(ctx, `SELECT name, vartype, coalesce(unit, ''), coalesce(array_to_string(enumvals, ' '), ''), coalesce(boot_val, ''), context
		FROM pg_settings WHERE context IN ('user', 'superuser') AND category <> 'Developer Options' AND name NOT LIKE '%.%'`).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// pg_dump sets the last where it is known, to what nobody keeps here.
	without := " deadlock_timeout extension_destdir max_stack_depth temp_file_limit restrict_nonsystem_relation_kind "
	for _, row := range out[0].Rows {
		name, want := string(row[0]), ""
		p := settings.Find(name)
		if p == nil {
			if !strings.Contains(without, " "+name+" ") {
				t.Errorf("%s is not here", name)
			}
			continue
		}
		for _, cell := range row[1:] {
			want += string(cell) + "|"
		}
		superuser := map[bool]string{true: "superuser", false: "user"}[p.Superuser]
		got := fmt.Sprintf("%s|%s|%s|%s|%s|", p.Kind(), p.Unit, strings.Join(p.Options, " "), p.Bare(p.Default), superuser)
		if p.Fixed() && got != want && name != "timezone_abbreviations" { // which PostgreSQL sets as it starts
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
