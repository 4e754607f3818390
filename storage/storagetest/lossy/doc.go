// Package lossy is a network between a client and a server that loses answers,
// delays, and resets connections. It carries bytes and knows nothing of what
// they mean; only tests import it.
//
//	client ──┬── Proxy ──┬── server
//	         reset       │    an answer is lost: the server has done the request
//	         reset       ├──  a request comes late: the connection that the
//	                     │    client has given up lives on beside its new one
//	         delayed     └──  either way
package lossy
