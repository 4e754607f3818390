//go:build !linux

package main

// inFolder calls fn with the name of folder dir.
func inFolder(dir string, fn func(dir string) error) error { return fn(dir) }
