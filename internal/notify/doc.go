// Package notify is LISTEN and NOTIFY among the sessions of one DB. Both take effect at
// COMMIT, and a client is told between its transactions.
//
//	NOTIFY   -> Client.Send     one of each (channel, payload) of the transaction
//	COMMIT   -> Client.Begin    in the order of commits, to each listener's inbox
//	           Others.Send      to the hubs of other servers that listen, which Hear it
//	idle     -> Client.Take     the protocol takes the inbox
//
// The inboxes of all clients hold 16 MiB together: 54000 for the NOTIFY that would be more,
// before its transaction has committed. Package session calls it. It must never wait for a
// client that does not take its inbox.
package notify
