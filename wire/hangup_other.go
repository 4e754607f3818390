//go:build !linux

package wire

import "net"

// canTell says that hungUp can know.
const canTell = false

// hungUp would say that the client has closed its end of nc. Here that shows when the
// connection is next read or written.
func hungUp(net.Conn) bool { return false }
