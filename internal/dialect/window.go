package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// windowSpec emits ( [name] [PARTITION BY …] [ORDER BY …] [frame] ).
func (p *translator) windowSpec(src int32) int32 {
	p.enter()
	defer p.leave()
	p.expectKind(lex.LParen)
	ref := marker.Nothing
	payload := ref
	if t := p.tok(); isColID(t) && !p.atFrame() && t.Keyword != lex.KPartition {
		ref = p.colID()
		payload = fields(ref, "named")
	}
	p.open(marker.MOver, payload, src)
	begin := p.mark()
	var h int32
	if p.kw() == lex.KPartition {
		p.next()
		p.expect(lex.KBy)
		p.open(marker.MPartition, marker.Nothing, -1)
		h = p.exprList(0)
		p.raw(")")
	}
	if p.accept(lex.KOrder) {
		p.expect(lex.KBy)
		h = max(h, p.orderMarkers(begin))
	}
	if p.atFrame() {
		p.comma(begin)
		h = max(h, p.frame())
	}
	p.expectKind(lex.RParen)
	p.raw(")")
	return p.taller(h, 0)
}

// atFrame tells whether a frame begins here; ROWS, RANGE and GROUPS are names
// elsewhere.
func (p *translator) atFrame() bool {
	switch p.kw() {
	case lex.KRows, lex.KRange, lex.KGroups:
		switch p.peek(1).Kind {
		case lex.RParen:
			return false
		}
		return p.peek(1).Keyword != lex.KPartition && p.peek(1).Keyword != lex.KOrder
	}
	return false
}

// The bounds of a frame in payloads, in the order they may stand.
const (
	unboundedPreceding = "1"
	offsetPreceding    = "2"
	currentRow         = "3"
	offsetFollowing    = "4"
	unboundedFollowing = "5"
)

func (p *translator) frame() int32 {
	src := p.src()
	mode := p.kw().String()
	p.next()
	at := p.mark()
	var h int32
	var start, end, between string
	if p.accept(lex.KBetween) {
		between = "between"
		startAt := p.src()
		start = p.frameBound(&h)
		p.expect(lex.KAnd)
		endAt := p.src()
		if p.mark() > at {
			p.raw(", ")
		}
		mark := p.mark()
		end = p.frameBound(&h)
		if p.mark() == mark && mark > at {
			p.pieces = p.pieces[:mark-1]
		}
		p.checkFrame(start, end, startAt, endAt)
	} else {
		startAt := p.src()
		start, end = p.frameBound(&h), currentRow
		switch start {
		case unboundedFollowing:
			p.frameError(startAt, "frame start cannot be UNBOUNDED FOLLOWING")
		case offsetFollowing:
			p.frameError(startAt, "frame starting from following row cannot end with current row")
		}
	}
	exclude := ""
	if p.accept(lex.KExclude) {
		switch {
		case p.accept2(lex.KCurrent, lex.KRow):
			exclude = "current row"
		case p.accept(lex.KGroup):
			exclude = "group"
		case p.accept(lex.KTies):
			exclude = "ties"
		case p.accept2(lex.KNo, lex.KOthers):
		default:
			p.syntaxError()
		}
	}
	args := p.cut(at)
	p.open(marker.MFrame, fields(mode, start, end, exclude, between), src)
	p.paste(args)
	p.raw(")")
	return p.taller(h, 0)
}

func (p *translator) frameError(src int32, msg string) {
	p.fail(sqlerr.New(sqlerr.WindowingError, "%s", msg).At(p.pos(src)))
}

// checkFrame refuses the frames Postgres's grammar refuses.
func (p *translator) checkFrame(start, end string, startAt, endAt int32) {
	switch {
	case start == unboundedFollowing:
		p.frameError(startAt, "frame start cannot be UNBOUNDED FOLLOWING")
	case end == unboundedPreceding:
		p.frameError(endAt, "frame end cannot be UNBOUNDED PRECEDING")
	case start == currentRow && end == offsetPreceding:
		p.frameError(endAt, "frame starting from current row cannot have preceding rows")
	case start == offsetFollowing && end == offsetPreceding:
		p.frameError(endAt, "frame starting from following row cannot have preceding rows")
	case start == offsetFollowing && end == currentRow:
		p.frameError(endAt, "frame starting from following row cannot end with current row")
	}
}

// frameBound reads a bound and emits its offset, if it has one.
func (p *translator) frameBound(h *int32) string {
	switch {
	case p.kw() == lex.KUnbounded && (p.peek(1).Keyword == lex.KPreceding || p.peek(1).Keyword == lex.KFollowing):
		p.next()
		if p.accept(lex.KPreceding) {
			return unboundedPreceding
		}
		p.next()
		return unboundedFollowing
	case p.accept2(lex.KCurrent, lex.KRow):
		return currentRow
	}
	*h = max(*h, p.expr().h)
	if p.accept(lex.KPreceding) {
		return offsetPreceding
	}
	p.expect(lex.KFollowing)
	return offsetFollowing
}
