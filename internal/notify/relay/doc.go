// Package relay carries notifications between the servers of a store.
//
//	COMMIT   -> Relay.Send   to each server that listens to a channel of them, in the order of commits
//	           by the peers' door, or where that fails within a second, through the store
//	Letter   -> Relay.Hear   to the hub of the server that it came to, once
//	poll     -> Relay.Look   what lies in the store for this server
//
// Letters to a server are numbered. A letter whose number was heard is not heard again, though it
// came both ways; one whose forerunner has not come by the door waits until the store was looked at. So
// the notifications of a session are told in its order, and each once, to all servers that live; those
// of a server that dies as it sends them may be lost.
//
// A server that has no room for a letter says so, and NOTIFY is refused (54000) until it has.
//
// Package session calls it, and says how letters travel (Ways). It must never know what sessions
// there are.
package relay
