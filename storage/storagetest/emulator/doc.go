// Package emulator runs the Bigtable emulator inside a test, behind a real
// loopback connection. It is what package bttest gives, with message limits
// raised to the service's; how it differs from the service is said in the
// tests that use it. Only tests import it.
package emulator
