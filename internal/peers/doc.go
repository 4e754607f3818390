// Package peers is the door by which the servers of one store ask each other, where the answer is
// wanted sooner than the store can carry it: what sessions there are, that one is to be cancelled,
// that a notification has come.
//
//	Door.Ask(peer, kind, body) --TLS, HTTP--> the other's Handler of that kind --> its answer
//	Door.AskAll(peers, kind, body)            the same of several at once
//
// Who may ask is who has the store: one server puts a secret into it, and all derive one key pair
// from it (key.go). Both sides of a connection show that they have the key, by TLS 1.3; nothing
// else is trusted, so that no certificate is needed and nobody who only reaches the port hears
// anything. Whom there is to ask, and where, stands with the servers' leases.
//
// What is asked must bear to be asked twice, and not at all: a request whose answer is lost may
// have been heard. An answer is bounded by maxBody, a handler by the asker's deadline; each peer is
// asked over maxConns connections at most.
//
// It knows nothing of sessions, nor of the catalog: internal/session says what the kinds do.
package peers
