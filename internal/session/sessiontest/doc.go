// Package sessiontest runs statements for the tests of rooms below a session.
package sessiontest
