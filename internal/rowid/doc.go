// Package rowid gives rows without a key of their own one that no other row of the store has,
// on whichever server it is made, without asking the store: by the time, the server's slot and the
// process. internal/session has one for each DB; it must not know what the keys are of.
package rowid
