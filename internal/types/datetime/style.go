package datetime

// Style is DateStyle and IntervalStyle. The zero one is Postgres's default, ISO, MDY and postgres.
type Style struct {
	Dates DateStyle
	Order Order
	Spans SpanStyle
}

// DateStyle is how dates and timestamps are printed.
type DateStyle uint8

// The date styles.
const (
	DatesISO DateStyle = iota
	DatesSQL
	DatesPostgres
	DatesGerman
)

// DateStyles are their names in SHOW datestyle, by their numbers.
var DateStyles = [...]string{"ISO", "SQL", "Postgres", "German"}

// Order is what a date's numbers mean, of which nothing else tells it.
type Order uint8

// The orders.
const (
	MDY Order = iota
	DMY
	YMD
)

// Orders are their names, by their numbers.
var Orders = [...]string{"MDY", "DMY", "YMD"}

// first is what a date of two or one digits begins with.
func (o Order) first() int {
	return [...]int{MDY: hasMonth, DMY: hasDay, YMD: hasYear}[o]
}

// order is asked for where the meaning of the text depends on it.
func (d *decoder) order() Order {
	d.ctx.Used = true
	return d.ctx.Order
}

// SpanStyle is how intervals are printed.
type SpanStyle uint8

// The interval styles.
const (
	SpanPostgres SpanStyle = iota
	SpanVerbose
	SpanSQL
	SpanISO
)

// SpanStyles are the names of the interval styles, by their numbers.
var SpanStyles = [...]string{"postgres", "postgres_verbose", "sql_standard", "iso_8601"}
