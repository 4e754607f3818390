// Package lint holds the tests that keep the shape of the project: which
// package may import which, that every package says what it is, and that no
// generated file is stale. It has no code of its own.
package lint
