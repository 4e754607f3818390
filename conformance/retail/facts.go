package retail

import (
	"io"
	"math/rand/v2"

	"github.com/saltsql/saltsql/conformance/rowgen"
)

// Scale is the size of a warehouse: 1 is about 250,000 rows.
type Scale float64

// Write writes a table's rows as COPY's text format takes them.
func (s Scale) Write(w io.Writer, table string) error {
	g := &generator{rowgen.New(w, uint64(len(table)), uint64(table[0])<<8|uint64(table[1])), s}
	switch table {
	case "days":
		g.days()
	case "times":
		g.times()
	case "items":
		g.items()
	case "shops":
		g.shops()
	case "places":
		g.places()
	case "buyers":
		g.buyers()
	case "stock":
		g.stock()
	case "shop_sales", "shop_returns":
		g.orders(shop, int(s*20_000), table == "shop_returns")
	case "mail_sales", "mail_returns":
		g.orders(mail, int(s*8_000), table == "mail_returns")
	case "web_sales", "web_returns":
		g.orders(web, int(s*5_000), table == "web_returns")
	default:
		g.small(table)
	}
	return g.Flush()
}

type generator struct {
	rowgen.Rows
	scale Scale
}

// maybe is the value, or NULL once in 25 times.
func (g *generator) maybe(v any) any {
	if g.R.IntN(25) == 0 {
		return `\N`
	}
	return v
}

// key is a key of a dimension of n rows, or NULL once in 25 times.
func (g *generator) key(n int) any { return g.maybe(g.Between(1, n)) }

// item is a line's item: a fifth of all lines are of a tenth of the items.
func (g *generator) item() int {
	if g.R.IntN(5) == 0 {
		return g.Between(1, g.scale.items()/10)
	}
	return g.Between(1, g.scale.items())
}

// day is a day of a sale: more are sold late in the year.
func (g *generator) day() int {
	day := g.Between(1, dayCount-120)
	if g.R.IntN(3) == 0 {
		day = (day-1)/365*365 + 305 + g.R.IntN(60)
	}
	return day
}

type channel int

const (
	shop channel = iota
	mail
	web
)

// orders writes the lines of a channel's orders, or those that came back. Both are drawn
// alike, order by order, since what comes back was sold. A buyer's orders of one channel are
// often followed by one of another, so that questions over channels have answers.
func (g *generator) orders(c channel, n int, back bool) {
	for order := 1; order <= n; order++ {
		g.R = rand.New(rand.NewPCG(uint64(order), uint64(c)*7+3))
		shared := rand.New(rand.NewPCG(uint64(order%2000), 11)) // alike in all channels
		buyer := g.maybe(1 + shared.IntN(g.scale.buyers()))
		favourite := 1 + shared.IntN(g.scale.items())
		day, minute := g.day(), g.maybe(g.Between(0, 1439))
		trait, home, place := g.key(traitCount), g.key(homeCount), g.key(g.scale.places())
		receiver, target := buyer, place
		if g.R.IntN(4) == 0 {
			receiver, target = g.key(g.scale.buyers()), g.key(g.scale.places())
		}
		at, page, seen := g.key([]int{shopCount, centerCount, siteCount}[c]), g.key(pageCount), map[int]bool{}
		for range g.Between(1, 6) {
			item := g.item()
			if g.R.IntN(6) == 0 {
				item = favourite
			}
			line := saleLine{order: order, item: item, day: day}
			line.draw(g)
			sent, mode, depot, promo := g.maybe(day+g.Between(1, 118)), g.key(modeCount), g.key(depotCount), g.key(promoCount)
			returns, later, reason := g.R.IntN(8) == 0, g.Between(1, 100), g.key(len(why))
			count, fee := g.Between(1, line.count), g.Between(50, 10_000)
			if seen[item] {
				continue
			}
			seen[item] = true
			switch {
			case back && returns:
				amount := line.price * count
				g.Row(order, item, g.maybe(day+later), g.maybe(buyer), trait, home, place, at, reason, g.maybe(count), rowgen.Cents(amount), rowgen.Cents(fee), rowgen.Cents(amount/3+fee))
			case back:
			case c == shop:
				g.Row(append([]any{order, item, g.maybe(day), minute, buyer, trait, home, place, at, promo}, line.money(g)...)...)
			case c == mail:
				g.Row(append([]any{order, item, g.maybe(day), minute, sent, buyer, receiver, trait, home, place, target, mode, depot, promo, at}, line.money(g)...)...)
			default:
				g.Row(append([]any{order, item, g.maybe(day), minute, sent, buyer, receiver, trait, home, place, target, mode, depot, promo, at, page}, line.money(g)...)...)
			}
		}
	}
}

// saleLine is one line of an order, in cents.
type saleLine struct {
	order, item, day         int
	count, cost, list, price int
	coupon, freight          int
}

func (l *saleLine) draw(g *generator) {
	l.count, l.cost = g.Between(1, 100), g.Between(100, 10_000)
	l.list = l.cost * g.Between(100, 200) / 100
	l.price = l.list * g.Between(20, 100) / 100
	if g.R.IntN(5) == 0 {
		l.coupon = l.price * l.count * g.Between(0, 50) / 100
	}
	l.freight = l.list * l.count * g.Between(0, 40) / 100
}

func (l *saleLine) money(g *generator) []any {
	total := l.price * l.count
	return []any{g.maybe(l.count), g.maybe(rowgen.Cents(l.cost)), g.maybe(rowgen.Cents(l.list)), g.maybe(rowgen.Cents(l.price)), rowgen.Cents((l.list - l.price) * l.count), g.maybe(rowgen.Cents(total)),
		rowgen.Cents(l.coupon), rowgen.Cents(l.freight), g.maybe(rowgen.Cents(total - l.coupon)), rowgen.Cents(total - l.coupon - l.cost*l.count)}
}

// stock counts some items of each depot every fourth week.
func (g *generator) stock() {
	for day := 1; day <= dayCount; day += 28 {
		for item := 1; item <= g.scale.items(); item++ {
			if item%4 != day/28%4 {
				continue
			}
			for depot := 1; depot <= depotCount; depot++ {
				g.Row(day, item, depot, g.maybe(g.Between(0, 1000)))
			}
		}
	}
}
