package tochar

import (
	"strings"
)

// half writes AM or PM, AD or BC, with dots or without.
func (n *dateNode) half(dst []byte, second bool, a, b string) []byte {
	if second {
		a = b
	}
	dots := n.key.field == fAMDots || n.key.field == fADDots
	for i := range len(a) {
		c := a[i]
		if n.key.letters == lower {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
		if dots {
			dst = append(dst, '.')
		}
	}
	return dst
}

// name writes a month's or a day's name, padded with blanks on the right.
func (n *dateNode) name(dst []byte, name string, width int) []byte {
	start := len(dst)
	dst = append(dst, name...)
	for i := start; i < len(dst); i++ {
		switch c := dst[i]; {
		case n.key.letters == upper && c >= 'a' && c <= 'z':
			dst[i] = c - 'a' + 'A'
		case n.key.letters == lower && c >= 'A' && c <= 'Z':
			dst[i] = c + 'a' - 'A'
		}
	}
	return n.pad(dst, start, width)
}

func (n *dateNode) roman(dst []byte, m *moment) []byte {
	var i int64
	switch {
	case m.month == 0 && m.year == 0:
		return dst
	case m.month == 0 && m.year < 0:
		i = 11
	case m.month < 0:
		i = -1 - m.month
	case m.month > 0:
		i = 12 - m.month
	}
	start := len(dst)
	dst = append(dst, romanMonths[i]...)
	if n.key.letters == lower {
		lowerBytes(dst[start:])
	}
	if n.fill {
		return dst
	}
	for len(dst)-start < 4 {
		dst = append(dst, ' ')
	}
	return dst
}

func lowerBytes(b []byte) {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

func (n *dateNode) timeZone(dst []byte, m *moment) []byte {
	off, sign := m.offset, byte('+')
	if off < 0 {
		off, sign = -off, '-'
	}
	switch n.key.field {
	case fTZ:
		if n.key.letters == lower {
			return append(dst, strings.ToLower(m.zone)...)
		}
		return append(dst, m.zone...)
	case fTZH:
		return appendPadded(append(dst, sign), off/3600, 2)
	case fTZM:
		return appendPadded(dst, off%3600/60, 2)
	}
	width := 2
	if n.fill {
		width = 0
	}
	dst = appendPadded(append(dst, sign), off/3600, width)
	if off%3600 != 0 {
		dst = appendPadded(append(dst, ':'), off%3600/60, 2)
	}
	return dst
}
