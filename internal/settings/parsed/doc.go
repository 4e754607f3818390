// Package parsed is run-time parameters as statements use them: numbers, times and choices in the
// place of texts, read once after a change and not for each statement.
//
//	settings.Values ── texts, checked ──> Settings.Read ──> planning, running, logging
//
// internal/session keeps one for each session. It must never refuse a text: that is for SET, which
// has let it in.
package parsed
