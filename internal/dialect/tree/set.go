package tree

// SetScope is how long a SET lasts.
type SetScope uint8

// The scopes of SET.
const (
	SetSession SetScope = iota
	SetLocal
)

// SetValue is one value of SET name = value, ….
type SetValue struct {
	Text   string // a string's content, a number with its sign, a folded word
	Quoted bool   // it was a string constant
	Number bool
}

// Set is SET of a parameter. SET TIME ZONE is Name "timezone" (LOCAL and
// DEFAULT set Default), SET NAMES is "client_encoding", SET SCHEMA is
// "search_path", SET ROLE is "role", SET SESSION AUTHORIZATION is
// "session_authorization", SET XML OPTION is "xmloption", SET SEED is "seed".
type Set struct {
	Scope       SetScope
	Name        string // lower case, dotted for custom parameters
	Values      []SetValue
	Default     bool
	FromCurrent bool
	Interval    *SourceExpr // SET TIME ZONE INTERVAL '…'
	Pos         int
}

// Reset is RESET name or RESET ALL.
type Reset struct {
	Name string
	All  bool
	Pos  int
}

// Show is SHOW name or SHOW ALL.
type Show struct {
	Name string
	All  bool
	Pos  int
}

// ShowCreateTable is SHOW CREATE TABLE name.
type ShowCreateTable struct{ Name Name }

// Discard is DISCARD; What is "all", "plans", "sequences" or "temp".
type Discard struct{ What string }

func (*Set) Tag() string             { return "SET" }
func (*Reset) Tag() string           { return "RESET" }
func (*Show) Tag() string            { return "SHOW" }
func (*ShowCreateTable) Tag() string { return "SHOW" }

func (d *Discard) Tag() string {
	switch d.What {
	case "plans":
		return "DISCARD PLANS"
	case "sequences":
		return "DISCARD SEQUENCES"
	case "temp":
		return "DISCARD TEMP"
	}
	return "DISCARD ALL"
}
