package tracing

import (
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// Parent reads the comment that sqlcommenter puts at the end or the beginning of a text.
// nil is none.
func Parent(text string) *trace.SpanContext {
	text = strings.TrimRight(text, " \t\r\n;")
	comment := ""
	if body, ok := strings.CutSuffix(text, "*/"); ok {
		comment = body[strings.LastIndex(body, "/*")+1:]
	} else if body, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "/*"); ok {
		comment, _, _ = strings.Cut(body, "*/")
	}
	_, value, ok := strings.Cut(comment, "traceparent='")
	if !ok {
		return nil
	}
	value, _, _ = strings.Cut(value, "'")
	if value, err := url.QueryUnescape(value); err == nil {
		return parseParent(value)
	}
	return nil
}

// parseParent reads version-trace-span-flags, in hex, as W3C's Trace Context has it.
func parseParent(value string) *trace.SpanContext {
	parts := strings.Split(value, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 || len(parts[3]) != 2 {
		return nil
	}
	id, err1 := trace.TraceIDFromHex(parts[1])
	span, err2 := trace.SpanIDFromHex(parts[2])
	if err1 != nil || err2 != nil {
		return nil
	}
	var flags trace.TraceFlags
	if c := parts[3][1]; strings.IndexByte("13579bdf", c) >= 0 {
		flags = trace.FlagsSampled
	}
	sc := trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: flags, Remote: true})
	return &sc
}
