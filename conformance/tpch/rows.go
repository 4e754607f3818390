package tpch

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/saltsql/saltsql/conformance/rowgen"
)

// The words of which names and comments are made. Those that a question looks for are
// among them.
var (
	regions = []string{"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"}
	// nations have their region's place in regions.
	nations = []struct {
		name   string
		region int
	}{
		{"ALGERIA", 0}, {"ARGENTINA", 1}, {"BRAZIL", 1}, {"CANADA", 1}, {"EGYPT", 4}, {"ETHIOPIA", 0}, {"FRANCE", 3}, {"GERMANY", 3}, {"INDIA", 2},
		{"INDONESIA", 2}, {"IRAN", 4}, {"IRAQ", 4}, {"JAPAN", 2}, {"JORDAN", 4}, {"KENYA", 0}, {"MOROCCO", 0}, {"MOZAMBIQUE", 0}, {"PERU", 1},
		{"CHINA", 2}, {"ROMANIA", 3}, {"SAUDI ARABIA", 4}, {"VIETNAM", 2}, {"RUSSIA", 3}, {"UNITED KINGDOM", 3}, {"UNITED STATES", 1},
	}
	colors     = strings.Fields("almond azure beige black blue brown coral cream cyan forest gold green grey indigo ivory khaki lemon lime linen maroon mint navy olive orchid peach pink plum puff purple red rose salmon sienna silver sky smoke snow tan teal tomato violet wheat white yellow")
	segments   = []string{"AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"}
	priorities = []string{"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"}
	modes      = []string{"AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"}
	handling   = []string{"COLLECT COD", "DELIVER IN PERSON", "NONE", "TAKE BACK RETURN"}
	finishes   = []string{"STANDARD", "SMALL", "MEDIUM", "LARGE", "ECONOMY", "PROMO"}
	coats      = []string{"ANODIZED", "BURNISHED", "PLATED", "POLISHED", "BRUSHED"}
	metals     = []string{"TIN", "NICKEL", "BRASS", "STEEL", "COPPER"}
	sizes      = []string{"SM", "MED", "LG", "JUMBO", "WRAP"}
	boxes      = []string{"CASE", "BOX", "BAG", "JAR", "PKG", "PACK", "CAN", "DRUM"}
	words      = strings.Fields("bold boxes carry deposits even express final foxes haggle ideas instructions ironic nod packages pending pinto quick quiet regular requests sleep slow special theodolites unusual warm")
)

var (
	firstDay = time.Date(1992, 1, 1, 0, 0, 0, 0, time.UTC)
	// today divides lines that have arrived from those that have not.
	today = time.Date(1995, 6, 17, 0, 0, 0, 0, time.UTC)
)

// Scale is the size of a database: 1 is about 8.7 million rows.
type Scale float64

func (s Scale) of(n int) int { return max(int(float64(s)*float64(n)), 1) }

func (s Scale) suppliers() int { return max(s.of(10_000), 4) }
func (s Scale) parts() int     { return s.of(200_000) }
func (s Scale) customers() int { return max(s.of(150_000), 3) }
func (s Scale) orders() int    { return s.of(1_500_000) }

// Write writes a table's rows as COPY's text format takes them, in key order.
func (s Scale) Write(w io.Writer, table string) error {
	g := generator{rowgen.New(w, uint64(len(table)), uint64(table[0])), s}
	switch table {
	case "region":
		for i, name := range regions {
			g.Row(i, name, g.comment(150))
		}
	case "nation":
		for i, n := range nations {
			g.Row(i, n.name, n.region, g.comment(150))
		}
	case "supplier":
		g.suppliers()
	case "part":
		g.parts()
	case "partsupp":
		g.offers()
	case "customer":
		g.customers()
	case "orders", "lineitem":
		g.orders(table == "lineitem")
	default:
		return fmt.Errorf("no table %q", table)
	}
	return g.Flush()
}

type generator struct {
	rowgen.Rows
	scale Scale
}

func (g *generator) cents(low, high int) string { return rowgen.Cents(g.Between(low, high)) }

func (g *generator) phone(nation int) string {
	return fmt.Sprintf("%d-%03d-%03d-%04d", 10+nation, g.Between(100, 999), g.Between(100, 999), g.Between(1000, 9999))
}

// comment is some words, in at most so many bytes.
func (g *generator) comment(most int) string {
	b := []byte(g.Pick(words))
	for range g.R.IntN(8) {
		if w := g.Pick(words); len(b)+1+len(w) <= most {
			b = append(append(b, ' '), w...)
		}
	}
	return string(b)
}

func (g *generator) address() string {
	b := make([]byte, g.Between(10, 30))
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz 0123456789"[g.R.IntN(37)]
	}
	return "a" + string(b) + "z"
}

func (g *generator) suppliers() {
	for i := 1; i <= g.scale.suppliers(); i++ {
		nation, comment := g.R.IntN(len(nations)), g.comment(101)
		if i%20 == 7 {
			comment = "Customer " + g.Pick(words) + " Complaints"
		}
		g.Row(i, fmt.Sprintf("Supplier#%09d", i), g.address(), nation, g.phone(nation), g.cents(-99_999, 999_999), comment)
	}
}

// price is a part's retail price in cents, by the specification's formula.
func price(part int) int { return 90_000 + (part/10)%20_001 + 100*(part%1000) }

func (g *generator) parts() {
	for i := 1; i <= g.scale.parts(); i++ {
		names := make([]string, 5)
		for j := range names {
			names[j] = g.Pick(colors)
		}
		maker := g.Between(1, 5)
		g.Row(i, strings.Join(names, " "), fmt.Sprintf("Manufacturer#%d", maker), fmt.Sprintf("Brand#%d%d", maker, g.Between(1, 5)),
			g.Pick(finishes)+" "+g.Pick(coats)+" "+g.Pick(metals), g.Between(1, 50), g.Pick(sizes)+" "+g.Pick(boxes), rowgen.Cents(price(i)), g.Pick(words))
	}
}

// offerer is the supplier of a part's nth offer, of four that differ.
func (s Scale) offerer(part, n int) int {
	all := s.suppliers()
	return (part+n*max(all/4, 1))%all + 1
}

func (g *generator) offers() {
	for part := 1; part <= g.scale.parts(); part++ {
		var of [4]int
		for n := range of {
			of[n] = g.scale.offerer(part, n)
		}
		for n := range of { // by supplier, as the key is
			for m := n + 1; m < len(of); m++ {
				if of[m] < of[n] {
					of[n], of[m] = of[m], of[n]
				}
			}
			g.Row(part, of[n], g.Between(1, 9999), g.cents(100, 100_000), g.comment(199))
		}
	}
}

func (g *generator) customers() {
	for i := 1; i <= g.scale.customers(); i++ {
		nation := g.R.IntN(len(nations))
		g.Row(i, fmt.Sprintf("Customer#%09d", i), g.address(), nation, g.phone(nation), g.cents(-99_999, 999_999), g.Pick(segments), g.comment(117))
	}
}

// orders writes the orders, or their lines. Both are drawn alike, order by order, since
// an order's price and state follow from its lines.
func (g *generator) orders(lines bool) {
	clerks := max(g.scale.of(1000), 1)
	for i := 0; i < g.scale.orders(); i++ {
		g.R = rand.New(rand.NewPCG(uint64(i), 20))
		key := i/8*32 + i%8 + 1 // of each 32 keys 8 are used
		customer := g.Between(1, g.scale.customers())
		if customer%3 == 0 { // a third of them never ordered
			customer--
		}
		ordered := firstDay.AddDate(0, 0, g.R.IntN(2406-151))
		total, open, n := 0, 0, g.Between(1, 7)
		for line := 1; line <= n; line++ {
			part := g.Between(1, g.scale.parts())
			supplier := g.scale.offerer(part, g.R.IntN(4))
			quantity, discount, tax := g.Between(1, 50), g.Between(0, 10), g.Between(0, 8)
			extended := quantity * price(part)
			shipped := ordered.AddDate(0, 0, g.Between(1, 121))
			committed := ordered.AddDate(0, 0, g.Between(30, 90))
			received := shipped.AddDate(0, 0, g.Between(1, 30))
			flag, state := "N", "F"
			if !received.After(today) {
				flag = g.Pick([]string{"R", "A"})
			}
			if shipped.After(today) {
				state = "O"
				open++
			}
			total += extended * (100 + tax) / 100 * (100 - discount) / 100
			if lines {
				g.Row(key, line, part, supplier, quantity, rowgen.Cents(extended), rowgen.Cents(discount), rowgen.Cents(tax), flag, state,
					day(shipped), day(committed), day(received), g.Pick(handling), g.Pick(modes), g.comment(44))
			} else {
				g.Pick(handling)
				g.Pick(modes)
				g.comment(44)
			}
		}
		if !lines {
			state := "P"
			switch open {
			case 0:
				state = "F"
			case n:
				state = "O"
			}
			g.Row(key, customer, state, rowgen.Cents(total), day(ordered), g.Pick(priorities), fmt.Sprintf("Clerk#%09d", g.Between(1, clerks)), 0, g.comment(79))
		}
	}
}

func day(t time.Time) string { return t.Format(time.DateOnly) }
