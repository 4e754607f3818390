package types

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// An inet value is kept as it is sent:
//
//	02  20  00  04  c0 a8 01 05        192.168.1.5/32
//	|   |   |   |   address, 4 or 16 bytes
//	|   |   |   its length
//	|   |   1 for cidr
//	|   bits of the network
//	2 for IPv4, 3 for IPv6
const (
	inet4      = 2
	inet6      = 3
	inetHeader = 4
)

// NewInet makes the value of an address without a network.
func NewInet(a netip.Addr) Datum { return newInet(a.Unmap(), a.Unmap().BitLen()) }

func newInet(a netip.Addr, bits int) Datum {
	family := byte(inet4)
	if a.Is6() {
		family = inet6
	}
	b := a.AsSlice()
	return NewBytes(append([]byte{family, byte(bits), 0, byte(len(b))}, b...))
}

func parseInet(s string) (Datum, error) {
	host, mask, masked := strings.Cut(trimSpace(s), "/")
	a, err := netip.ParseAddr(host)
	if err != nil || a.Zone() != "" {
		return NullDatum, invalidInput("inet", s)
	}
	bits := a.BitLen()
	if masked {
		n, err := strconv.ParseUint(mask, 10, 8)
		if err != nil || int(n) > bits {
			return NullDatum, invalidInput("inet", s)
		}
		bits = int(n)
	}
	return newInet(a, bits), nil
}

func parseInetBinary(b []byte) (Datum, error) {
	bad := sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid address in external \"inet\" value")
	if len(b) < inetHeader || len(b) != inetHeader+int(b[3]) || b[2] != 0 {
		return NullDatum, bad
	}
	a, ok := netip.AddrFromSlice(b[inetHeader:])
	if !ok || int(b[1]) > a.BitLen() || (b[0] == inet6) != a.Is6() || b[0] != inet4 && b[0] != inet6 {
		return NullDatum, bad
	}
	return NewBytes(bytes.Clone(b)), nil
}

func appendInet(dst, b []byte) []byte {
	a, ok := netip.AddrFromSlice(b[inetHeader:])
	if !ok {
		return dst
	}
	dst = a.AppendTo(dst)
	if int(b[1]) == a.BitLen() {
		return dst
	}
	return strconv.AppendUint(append(dst, '/'), uint64(b[1]), 10)
}

// InetParts gives the address of an inet value, and how many of its bits are the network's.
func InetParts(b []byte) (a netip.Addr, mask int) {
	a, _ = netip.AddrFromSlice(b[inetHeader:])
	return a, int(b[1])
}

// InetKey gives bytes that order as inet values do: by family, network, length of
// the network's mask and address.
func InetKey(b []byte) []byte {
	key := append(make([]byte, 0, 2*len(b)), b[0])
	if a, ok := netip.AddrFromSlice(b[inetHeader:]); ok {
		if p, err := a.Prefix(int(b[1])); err == nil {
			key = append(key, p.Addr().AsSlice()...)
		}
	}
	return append(append(key, b[1]), b[inetHeader:]...)
}

func compareInet(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	return bytes.Compare(InetKey(a), InetKey(b))
}
