package settings

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/types/datetime"
)

const defaultDateStyle = "ISO, MDY"

func dateStyle(_, value string) (string, error) { return dateStyleOver(defaultDateStyle, value) }

// dateStyleOver reads words for the style and the order, each of which stays as it is now where
// no word is of it.
func dateStyleOver(now, value string) (string, error) {
	st := StyleOf(now, "")
	var haveStyle, haveOrder, conflict bool
	bad := badValue("DateStyle", value)
	style := func(v datetime.DateStyle) {
		conflict = conflict || haveStyle && st.Dates != v
		st.Dates, haveStyle = v, true
	}
	order := func(v datetime.Order) {
		conflict = conflict || haveOrder && st.Order != v
		st.Order, haveOrder = v, true
	}
	for w := range strings.SplitSeq(value, ",") {
		word := strings.TrimSpace(w)
		switch key := strings.ToLower(word); {
		case key == "":
			if strings.TrimSpace(value) != "" {
				return "", bad.WithDetail("List syntax is invalid.")
			}
		case key == "iso":
			style(datetime.DatesISO)
		case key == "sql":
			style(datetime.DatesSQL)
		case strings.HasPrefix(key, "postgres"):
			style(datetime.DatesPostgres)
		case key == "german":
			style(datetime.DatesGerman)
			if !haveOrder { // which a word after it may still tell
				st.Order = datetime.DMY
			}
		case key == "ymd":
			order(datetime.YMD)
		case key == "dmy", strings.HasPrefix(key, "euro"):
			order(datetime.DMY)
		case key == "mdy", key == "us", strings.HasPrefix(key, "noneuro"):
			order(datetime.MDY)
		case key == "default":
			reset := StyleOf(defaultDateStyle, "")
			if !haveStyle {
				st.Dates = reset.Dates
			}
			if !haveOrder {
				st.Order = reset.Order
			}
		default:
			return "", bad.WithDetail("Unrecognized key word: %q.", word)
		}
	}
	if conflict {
		return "", bad.WithDetail(`Conflicting "datestyle" specifications.`)
	}
	return datetime.DateStyles[st.Dates] + ", " + datetime.Orders[st.Order], nil
}

// StyleOf gives what the values of DateStyle and IntervalStyle, as they are kept, mean.
func StyleOf(dates, spans string) datetime.Style {
	style, order, _ := strings.Cut(dates, ", ")
	find := func(list []string, name string) uint8 { return uint8(max(0, slices.Index(list, name))) }
	return datetime.Style{
		Dates: datetime.DateStyle(find(datetime.DateStyles[:], style)),
		Order: datetime.Order(find(datetime.Orders[:], order)),
		Spans: datetime.SpanStyle(find(datetime.SpanStyles[:], spans)),
	}
}
