package retail

import (
	"fmt"
	"strings"
	"time"

	"github.com/saltsql/saltsql/conformance/rowgen"
)

// The words of which rows are made. Those that a question looks for are among them.
var (
	categories = strings.Fields("Books Home Electronics Jewelry Men Music Shoes Sports Women Children")
	classes    = strings.Fields("accent bedding classical cameras dresses estate fiction fitness mens pants pop portable romance shirts toddlers wallpaper")
	colors     = strings.Fields("amber beige black blue coral cream cyan gold green ivory khaki lilac maroon navy olive orchid peach plum rose salmon sienna slate tan white")
	unitNames  = strings.Fields("Box Bunch Case Dozen Each Gram Ounce Pallet Pound Ton")
	sizeNames  = strings.Fields("small medium large petite extra economy")
	cities     = strings.Fields("Ashby Brook Clifton Dover Easton Fairview Glenwood Harbor Iona Jasper Kenton Lakeside Midway Newport Oakland Pinewood")
	counties   = strings.Fields("Adams Bronx Clay Daviess Essex Franklin Grant Huron")
	states     = strings.Fields("AL CA GA IL KY NE OH SD TN TX")
	countries  = strings.Fields("CANADA CHILE FIJI GHANA JAPAN NORWAY PERU TOGO")
	firstNames = strings.Fields("Ada Ben Carla Dan Eva Finn Greta Hugo Ines Jon Kim Lea Max Nora Otto Pia Rob Sue Tom Uma")
	lastNames  = strings.Fields("Abel Brand Cole Diaz Ek Fox Gill Holm Ito Jung King Lopez Moor Nash Olsen Park Quist Reed Stone Tran")
	schooling  = []string{"Primary", "Secondary", "College", "2 yr Degree", "4 yr Degree", "Advanced Degree", "Unknown"}
	credits    = []string{"Good", "High Risk", "Low Risk", "Unknown"}
	potentials = []string{"0-500", "501-1000", "1001-5000", "5001-10000", ">10000", "Unknown"}
	carriers   = strings.Fields("AIRBORNE BARIAN CARGO DHX EXPRESSO FLEET")
	shipKinds  = strings.Fields("EXPRESS LIBRARY NEXTDAY OVERNIGHT REGULAR TWODAY")
	why        = []string{"came too late", "did not fit", "did not like the color", "found it cheaper", "gift exchange", "is broken", "no service there", "not the one ordered", "parts are missing", "stopped working"}
)

var firstDay = time.Date(1998, 1, 1, 0, 0, 0, 0, time.UTC)

const dayCount = 1826 // 1998 to 2002

// How many rows the small dimensions have at every scale.
const (
	shopCount   = 12
	centerCount = 6
	siteCount   = 6
	pageCount   = 20
	depotCount  = 5
	promoCount  = 30
	modeCount   = 12
	bandCount   = 20
	homeCount   = 240
	traitCount  = 560
)

func (s Scale) items() int  { return max(int(s*2000), 100) }
func (s Scale) places() int { return max(int(s*3000), 100) }
func (s Scale) buyers() int { return max(int(s*6000), 200) }

func (g *generator) days() {
	for i := range dayCount {
		d := firstDay.AddDate(0, 0, i)
		month := int(d.Month())
		holiday := "N"
		if d.Day() == 1 && month == 1 || d.Day() == 25 && month == 12 || d.Day() == 4 && month == 7 {
			holiday = "Y"
		}
		g.Row(i+1, d.Format(time.DateOnly), d.Year(), month, (month+2)/3, int(d.Weekday()), d.Weekday(), (i+4)/7, (d.Year()-1998)*12+month-1, holiday)
	}
}

func (g *generator) times() {
	for i := range 1440 {
		meal := `\N`
		switch hour := i / 60; {
		case hour >= 6 && hour < 9:
			meal = "breakfast"
		case hour >= 11 && hour < 14:
			meal = "lunch"
		case hour >= 17 && hour < 21:
			meal = "dinner"
		}
		g.Row(i, i/60, i%60, meal)
	}
}

// items have versions: of each three rows two are of one item, the later one with a price
// of its own, and i_to is NULL where a version holds still.
func (g *generator) items() {
	for i := 1; i <= g.scale.items(); i++ {
		id, from, to := i, "1998-01-01", `\N`
		switch i % 3 {
		case 1:
			if i < g.scale.items() {
				to = "2000-06-30"
			}
		case 2:
			id, from = i-1, "2000-07-01"
		}
		category, class, brand := g.R.IntN(len(categories)), g.Pick(classes), g.Between(1, 9)
		cost := g.Between(100, 6000)
		g.Row(i, fmt.Sprintf("ITEM%08d", id), from, to, g.maybe(g.Pick(colors)+" "+g.Pick(classes)+" "+fmt.Sprint(id)), (category+1)*1000+brand, fmt.Sprintf("%s %s #%d", categories[category], class, brand),
			class, g.maybe(categories[category]), g.Between(1, 50), rowgen.Cents(cost*g.Between(110, 300)/100), rowgen.Cents(cost), g.Pick(colors), g.Pick(sizeNames), g.Pick(unitNames), g.Between(1, 40))
	}
}

func (g *generator) shops() {
	for i := 1; i <= shopCount; i++ {
		g.Row(i, fmt.Sprintf("SHOP%04d", (i+1)/2), g.Pick([]string{"able", "bar", "cally", "eing", "ought"}), g.Pick(cities[:6]), g.Pick(counties), g.Pick(states[:6]), g.Between(1, 10), g.Between(200, 300), -g.Between(5, 8))
	}
}

func (g *generator) small(table string) {
	switch table {
	case "centers":
		for i := 1; i <= centerCount; i++ {
			g.Row(i, fmt.Sprintf("Center %d", i), g.Pick(firstNames)+" "+g.Pick(lastNames), g.Pick(counties))
		}
	case "sites":
		for i := 1; i <= siteCount; i++ {
			g.Row(i, fmt.Sprintf("site_%d", i/2), g.Pick([]string{"able", "ation", "pri"}))
		}
	case "pages":
		for i := 1; i <= pageCount; i++ {
			g.Row(i, g.Pick([]string{"ad", "dynamic", "feedback", "order"}), g.Between(1000, 8000))
		}
	case "depots":
		for i := 1; i <= depotCount; i++ {
			g.Row(i, g.maybe(fmt.Sprintf("Depot number %d", i)), g.Pick(states), g.Between(50_000, 900_000))
		}
	case "promos":
		for i := 1; i <= promoCount; i++ {
			g.Row(i, fmt.Sprintf("promo%d", i%7), g.Pick(yesNo), g.Pick(yesNo), g.Pick(yesNo))
		}
	case "modes":
		for i := 1; i <= modeCount; i++ {
			g.Row(i, shipKinds[i%len(shipKinds)], g.Pick(carriers))
		}
	case "reasons":
		for i, text := range why {
			g.Row(i+1, text)
		}
	case "bands":
		for i := range bandCount {
			g.Row(i+1, i*10_000+min(i, 1), (i+1)*10_000)
		}
	case "homes":
		for i := range homeCount {
			g.Row(i+1, i%bandCount+1, potentials[i/bandCount%len(potentials)], i%10, i/7%5)
		}
	case "traits":
		for i := range traitCount {
			g.Row(i+1, yesNoOf("MF", i), string("MSDWU"[i/2%5]), schooling[i/10%7], g.Pick(credits), g.Between(0, 6), g.Between(1, 20)*500)
		}
	}
}

func (g *generator) places() {
	for i := 1; i <= g.scale.places(); i++ {
		g.Row(i, g.maybe(g.Pick(cities)), g.Pick(counties), g.maybe(g.Pick(states)), fmt.Sprintf("%05d", g.Between(1, 60)*1500+g.Between(0, 9)), "United States", -g.Between(5, 8), g.Pick([]string{"condo", "single", "apartment"}))
	}
}

func (g *generator) buyers() {
	for i := 1; i <= g.scale.buyers(); i++ {
		first, last := g.Pick(firstNames), g.Pick(lastNames)
		g.Row(i, fmt.Sprintf("BUYER%08d", i), g.Pick([]string{"Dr.", "Mr.", "Ms.", "Sir"}), g.maybe(first), g.maybe(last), g.key(traitCount), g.key(homeCount), g.Between(1, g.scale.places()),
			g.maybe(g.Between(1930, 1990)), g.Between(1, 12), g.Between(1, 28), g.maybe(g.Pick(countries)), g.maybe(g.Pick(yesNo)), g.key(dayCount), strings.ToLower(first+"."+last)+fmt.Sprintf("@%d.example", i%7))
	}
}

var yesNo = []string{"Y", "N"}

// yesNoOf is one of two letters, in turn.
func yesNoOf(two string, i int) string { return string(two[i%2]) }
