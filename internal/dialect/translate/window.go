package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// windowSpec emits ( [name] [PARTITION BY …] [ORDER BY …] [frame] ).
func (p *Translator) windowSpec(src int32) int32 {
	p.Enter()
	defer p.Leave()
	p.ExpectKind(lex.LParen)
	ref := marker.Nothing
	payload := ref
	if t := p.Token(); cursor.IsColID(t) && !p.atFrame() && t.Keyword != lex.KPartition {
		ref = p.ColID()
		payload = fields(ref, "named")
	}
	p.open(marker.MOver, payload, src)
	begin := p.Mark()
	var h int32
	if p.Keyword() == lex.KPartition {
		p.Next()
		p.Expect(lex.KBy)
		p.open(marker.MPartition, marker.Nothing, -1)
		h = p.exprList(0)
		p.raw(")")
	}
	if p.Accept(lex.KOrder) {
		p.Expect(lex.KBy)
		h = max(h, p.orderMarkers(begin))
	}
	if p.atFrame() {
		p.comma(begin)
		h = max(h, p.frame())
	}
	p.ExpectKind(lex.RParen)
	p.raw(")")
	return p.Taller(h, 0)
}

// atFrame tells whether a frame begins here; ROWS, RANGE and GROUPS are names
// elsewhere.
func (p *Translator) atFrame() bool {
	switch p.Keyword() {
	case lex.KRows, lex.KRange, lex.KGroups:
		switch p.Peek(1).Kind {
		case lex.RParen:
			return false
		}
		return p.Peek(1).Keyword != lex.KPartition && p.Peek(1).Keyword != lex.KOrder
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

func (p *Translator) frame() int32 {
	src := p.Offset()
	mode := p.Keyword().String()
	p.Next()
	at := p.Mark()
	var h int32
	var start, end, between string
	if p.Accept(lex.KBetween) {
		between = "between"
		startAt := p.Offset()
		start = p.frameBound(&h)
		p.Expect(lex.KAnd)
		endAt := p.Offset()
		if p.Mark() > at {
			p.raw(", ")
		}
		mark := p.Mark()
		end = p.frameBound(&h)
		if p.Mark() == mark && mark > at {
			p.pieces = p.pieces[:mark-1]
		}
		p.checkFrame(start, end, startAt, endAt)
	} else {
		startAt := p.Offset()
		start, end = p.frameBound(&h), currentRow
		switch start {
		case unboundedFollowing:
			p.frameError(startAt, "frame start cannot be UNBOUNDED FOLLOWING")
		case offsetFollowing:
			p.frameError(startAt, "frame starting from following row cannot end with current row")
		}
	}
	exclude := ""
	if p.Accept(lex.KExclude) {
		switch {
		case p.Accept2(lex.KCurrent, lex.KRow):
			exclude = "current row"
		case p.Accept(lex.KGroup):
			exclude = "group"
		case p.Accept(lex.KTies):
			exclude = "ties"
		case p.Accept2(lex.KNo, lex.KOthers):
		default:
			p.SyntaxError()
		}
	}
	args := p.cut(at)
	p.open(marker.MFrame, fields(mode, start, end, exclude, between), src)
	p.paste(args)
	p.raw(")")
	return p.Taller(h, 0)
}

func (p *Translator) frameError(src int32, msg string) {
	p.Fail(sqlerr.New(sqlerr.WindowingError, "%s", msg).At(p.Pos(src)))
}

// checkFrame refuses the frames Postgres's grammar refuses.
func (p *Translator) checkFrame(start, end string, startAt, endAt int32) {
	switch {
	case start == unboundedFollowing:
		p.frameError(startAt, "frame start cannot be UNBOUNDED FOLLOWING")
	case end == unboundedPreceding:
		p.frameError(endAt, "frame end cannot be UNBOUNDED PRECEDING")
	case start == currentRow && end == offsetPreceding:
		p.frameError(endAt, "frame starting from current row cannot have preceding rows")
	case start == offsetFollowing && (end == offsetPreceding || end == currentRow):
		p.frameError(endAt, "frame starting from following row cannot have preceding rows")
	}
}

// frameBound reads a bound and emits its offset, if it has one.
func (p *Translator) frameBound(h *int32) string {
	switch {
	case p.Keyword() == lex.KUnbounded && (p.Peek(1).Keyword == lex.KPreceding || p.Peek(1).Keyword == lex.KFollowing):
		p.Next()
		if p.Accept(lex.KPreceding) {
			return unboundedPreceding
		}
		p.Next()
		return unboundedFollowing
	case p.Accept2(lex.KCurrent, lex.KRow):
		return currentRow
	}
	*h = max(*h, p.Expr().h)
	if p.Accept(lex.KPreceding) {
		return offsetPreceding
	}
	p.Expect(lex.KFollowing)
	return offsetFollowing
}
