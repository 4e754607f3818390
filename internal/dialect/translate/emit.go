package translate

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// The translated text is made of pieces in output order. A piece remembers
// where in the user's text it comes from, and a chain of prefixes that were
// wrapped around it and what follows after it had been emitted: that is how a
// postfix construct (x::int, a ~ b, x = ANY (…)) wraps an operand of any size
// in constant time.
//
//	pieces   [a] [b] [c]
//	prefix    |
//	          `op`.`~`(  ->  (          outermost is last added, written first
type piece struct {
	text   string
	src    int32 // byte offset in the user's text, or -1
	num    int32 // of a pieceAlias: the position; a pieceParam: the number; a pieceGroup: its place in translator.groups
	prefix int32 // 1 + index in translator.prefixes, 0 for none
	mode   pieceMode
}

// pieceMode says how a piece's text is written.
type pieceMode uint8

const (
	pieceRaw   pieceMode = iota
	pieceIdent           // back-quoted
	pieceStr             // single-quoted
	pieceAlias           // back-quoted, with the position as a second field
	pieceParam           // ?
	pieceGroup           // pieces that were cut and pasted
)

// prefix is text put before a piece. With a kind it is the head of a marker
// call, `kind`.`payload`( and otherwise text alone.
type prefix struct {
	kind, text string
	next       int32
	src        int32
}

func (p *Translator) raw(s string) {
	p.pieces = append(p.pieces, piece{text: s, src: -1})
}

func (p *Translator) rawAt(s string, src int32) {
	p.pieces = append(p.pieces, piece{text: s, src: src})
}

func (p *Translator) ident(name string, src int32) {
	p.pieces = append(p.pieces, piece{text: name, src: src, mode: pieceIdent})
}

func (p *Translator) str(val string, src int32) {
	p.pieces = append(p.pieces, piece{text: val, src: src, mode: pieceStr})
}

func (p *Translator) alias(name string, pos int) {
	p.pieces = append(p.pieces, piece{text: name, src: -1, num: int32(pos), mode: pieceAlias})
}

// open begins a marker call; raw(")") ends it.
func (p *Translator) open(kind, payload string, src int32) {
	p.ident(kind, src)
	p.raw(".")
	p.ident(payload, -1)
	p.raw("(")
}

// call emits a marker call without arguments.
func (p *Translator) call(kind, payload string, src int32) {
	p.open(kind, payload, src)
	p.raw(")")
}

// Mark is the place of the next piece, for wrap and cut.
func (p *Translator) Mark() int { return len(p.pieces) }

// wrap puts text before the piece at a mark.
func (p *Translator) wrap(at int, text string, src int32) {
	p.wrapMarker(at, "", text, src)
}

// wrapMarker puts the head of a marker call before the piece at a mark.
func (p *Translator) wrapMarker(at int, kind, payload string, src int32) {
	pc := &p.pieces[at]
	p.prefixes = append(p.prefixes, prefix{kind: kind, text: payload, next: pc.prefix, src: src})
	pc.prefix = int32(len(p.prefixes))
}

// cut takes the pieces from a mark on out of the output.
func (p *Translator) cut(at int) []piece {
	if at == len(p.pieces) {
		return nil
	}
	c := append([]piece(nil), p.pieces[at:]...)
	p.pieces = p.pieces[:at]
	return c
}

// paste puts cut pieces back at the end, as one: what is cut and pasted on every level
// of an expression is copied once.
func (p *Translator) paste(c []piece) {
	if len(c) < 2 {
		p.pieces = append(p.pieces, c...)
		return
	}
	p.pieces = append(p.pieces, piece{src: -1, num: int32(len(p.groups)), mode: pieceGroup})
	p.groups = append(p.groups, c)
}

// render gives the text of the pieces from a mark on and clears them. Where they
// come from goes to p.source, the highest parameter to the statement.
func (p *Translator) render(at int, st *tree.Statement) string {
	p.buf = p.buf[:0]
	p.source.Spans, p.source.Params = p.source.Spans[:0], p.source.Params[:0]
	p.renderPieces(p.pieces[at:], st)
	p.pieces = p.pieces[:at]
	if at == 0 {
		p.prefixes, p.groups = p.prefixes[:0], p.groups[:0]
	}
	return string(p.buf)
}

func (p *Translator) renderPieces(pieces []piece, st *tree.Statement) {
	src := &p.source
	for i := range pieces {
		pc := &pieces[i]
		for x := pc.prefix; x > 0; x = p.prefixes[x-1].next {
			p.renderPrefix(&p.prefixes[x-1])
		}
		p.span(pc.src)
		switch pc.mode {
		case pieceRaw:
			p.buf = append(p.buf, pc.text...)
		case pieceIdent:
			p.buf = appendQuoted(p.buf, pc.text, '`')
		case pieceStr:
			p.buf = appendQuoted(p.buf, pc.text, '\'')
		case pieceAlias:
			p.buf = appendQuoted(p.buf, pc.text, '`')
			p.buf = append(p.buf[:len(p.buf)-1], 0)
			p.buf = strconv.AppendInt(p.buf, int64(pc.num), 10)
			p.buf = append(p.buf, '`')
		case pieceParam:
			src.Params = append(src.Params, marker.Param{Out: int32(len(p.buf)), Number: pc.num})
			st.NumParams = max(st.NumParams, int(pc.num))
			p.buf = append(p.buf, '?')
		case pieceGroup:
			p.renderPieces(p.groups[pc.num], st)
		}
	}
}

// span notes that what is written next comes from src, if that is known.
func (p *Translator) span(src int32) {
	if src >= 0 {
		p.source.Spans = append(p.source.Spans, marker.Span{Out: int32(len(p.buf)), Src: src})
	}
}

func (p *Translator) renderPrefix(x *prefix) {
	p.span(x.src)
	if x.kind == "" {
		p.buf = append(p.buf, x.text...)
		return
	}
	p.buf = appendQuoted(p.buf, x.kind, '`')
	p.buf = append(p.buf, '.')
	p.buf = appendQuoted(p.buf, x.text, '`')
	p.buf = append(p.buf, '(')
}

func appendQuoted(buf []byte, s string, quote byte) []byte {
	buf = append(buf, quote)
	for {
		n := strings.IndexByte(s, quote)
		if n < 0 {
			break
		}
		buf = append(buf, s[:n+1]...)
		buf = append(buf, quote)
		s = s[n+1:]
	}
	buf = append(buf, s...)
	return append(buf, quote)
}

// fields joins the fields of a payload.
func fields(f ...string) string { return strings.Join(f, "\x00") }
