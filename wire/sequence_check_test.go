package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// answerReader holds what a server said against what it was sent.
//
//	Parse     ParseComplete | error
//	Describe  [ParameterDescription] RowDescription or NoData | error
//	Execute   DataRow… CommandComplete, PortalSuspended, EmptyQuery | copy out | error
//	Sync      [error] ReadyForQuery
//
// After an error everything up to Sync has no answer.
type answerReader struct {
	f    *pgproto3.Frontend
	next pgproto3.BackendMessage // read ahead

	skipping   bool
	statements map[string]int // the columns that Describe declared, -1 for none
	portals    map[string]int
	said       strings.Builder
}

// checkAnswers gives what was answered to each message, in short: types, tags and codes.
func checkAnswers(ms []pgproto3.FrontendMessage, out []byte) ([]string, error) {
	r := &answerReader{f: pgproto3.NewFrontend(bytes.NewReader(out), io.Discard), statements: map[string]int{}, portals: map[string]int{}}
	for range 2 { // of the start and of the reset
		for {
			m, err := r.f.Receive()
			if err != nil {
				return nil, fmt.Errorf("the start: %w", err)
			}
			if e, ok := m.(*pgproto3.ErrorResponse); ok {
				return nil, fmt.Errorf("the start: %s", showError(e))
			}
			if _, ok := m.(*pgproto3.ReadyForQuery); ok {
				break
			}
		}
	}
	answers := make([]string, len(ms))
	for i, m := range ms {
		r.said.Reset()
		err := r.answer(m)
		answers[i] = r.said.String()
		if err != nil {
			return answers, fmt.Errorf("message %d, %s %+v: %w (said:%s)", i+1, typeName(m), m, err, answers[i])
		}
	}
	if m, err := r.peek(); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return answers, fmt.Errorf("more was said: %v %v", m, err)
	}
	return answers, nil
}

// peek is the next message but for those that may come at any time.
func (r *answerReader) peek() (pgproto3.BackendMessage, error) {
	for r.next == nil {
		m, err := r.f.Receive()
		if err != nil {
			return nil, err
		}
		switch m := m.(type) {
		case *pgproto3.NoticeResponse:
			if m.Code == "XX000" {
				return nil, fmt.Errorf("a notice: %s", m.Message)
			}
		case *pgproto3.ParameterStatus:
		default:
			r.next = m
		}
	}
	return r.next, nil
}

// take reads the next message, which is one of the named. An error is taken always, and
// ends what is read up to Sync.
func (r *answerReader) take(names ...string) (string, error) {
	m, err := r.peek()
	if err != nil {
		return "", err
	}
	r.next = nil
	name := typeName(m)
	switch m := m.(type) {
	case *pgproto3.ErrorResponse:
		fmt.Fprintf(&r.said, " E%s", m.Code)
		if m.Code == "XX000" || m.SeverityUnlocalized != "ERROR" {
			return "", fmt.Errorf("%s", showError(m))
		}
		return name, nil
	case *pgproto3.CommandComplete:
		fmt.Fprintf(&r.said, " %s", m.CommandTag)
		r.forget(string(m.CommandTag))
	case *pgproto3.ReadyForQuery:
		fmt.Fprintf(&r.said, " Z%c", m.TxStatus)
		if m.TxStatus == 'I' {
			clear(r.portals)
		}
	default:
		if name != "DataRow" && name != "CopyData" {
			fmt.Fprintf(&r.said, " %s", name)
		}
	}
	for _, n := range names {
		if n == name {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s is not one of %v", name, names)
}

// forget drops what a command may have changed of the names.
func (r *answerReader) forget(tag string) {
	verb, _, _ := strings.Cut(tag, " ")
	switch verb {
	case "PREPARE", "DEALLOCATE", "DISCARD":
		clear(r.statements)
		clear(r.portals)
	case "DECLARE", "CLOSE", "ROLLBACK", "COMMIT":
		clear(r.portals)
	}
}

func (r *answerReader) answer(m pgproto3.FrontendMessage) error {
	switch m.(type) {
	case *pgproto3.Sync:
		r.skipping = false
		return r.ready(false)
	case *pgproto3.Flush, *pgproto3.CopyData, *pgproto3.CopyDone:
		return nil
	case *pgproto3.Query:
		if r.skipping {
			return nil
		}
		delete(r.portals, "")
		delete(r.statements, "")
		return r.ready(true)
	}
	if r.skipping {
		return nil
	}
	name, err := "", error(nil)
	switch m := m.(type) {
	case *pgproto3.Parse:
		delete(r.statements, m.Name)
		name, err = r.take("ParseComplete")
	case *pgproto3.Bind:
		delete(r.portals, m.DestinationPortal)
		name, err = r.take("BindComplete")
		if n, ok := r.statements[m.PreparedStatement]; ok {
			r.portals[m.DestinationPortal] = n
		}
	case *pgproto3.Close:
		if m.ObjectType == 'S' {
			delete(r.statements, m.Name)
		} else {
			delete(r.portals, m.Name)
		}
		name, err = r.take("CloseComplete")
	case *pgproto3.Describe:
		name, err = r.described(m)
	case *pgproto3.Execute:
		name, err = r.executed(m)
	}
	if name == "ErrorResponse" {
		r.skipping = true
		clear(r.portals)
	}
	return err
}

func (r *answerReader) described(m *pgproto3.Describe) (name string, err error) {
	of := r.portals
	if m.ObjectType == 'S' {
		of = r.statements
		if name, err = r.take("ParameterDescription"); err != nil || name == "ErrorResponse" {
			return name, err
		}
	}
	columns := -1
	if next, _ := r.peek(); next != nil {
		if d, ok := next.(*pgproto3.RowDescription); ok {
			columns = len(d.Fields)
		}
	}
	if name, err = r.take("RowDescription", "NoData"); err != nil || name == "ErrorResponse" {
		return name, err
	}
	if before, ok := of[m.Name]; ok && before != columns {
		return name, fmt.Errorf("%d columns are declared, and were %d", columns, before)
	}
	of[m.Name] = columns
	return name, nil
}

// rows reads DataRows and gives their number; declared is -2 where nothing is known.
func (r *answerReader) rows(declared int) (n int, err error) {
	for {
		m, err := r.peek()
		if err != nil {
			return n, err
		}
		d, ok := m.(*pgproto3.DataRow)
		if !ok {
			return n, nil
		}
		if declared > -2 && len(d.Values) != declared {
			return n, fmt.Errorf("a row of %d columns, %d are declared", len(d.Values), declared)
		}
		declared = len(d.Values)
		n++
		r.next = nil
	}
}

func (r *answerReader) executed(m *pgproto3.Execute) (string, error) {
	declared, ok := r.portals[m.Portal]
	if !ok {
		declared = -2
	}
	n, err := r.rows(declared)
	if err != nil {
		return "", err
	}
	name, err := r.take("CommandComplete", "PortalSuspended", "EmptyQueryResponse", "CopyOutResponse")
	if err != nil {
		return "", err
	}
	if limit := int(m.MaxRows); limit > 0 && n > limit || name == "PortalSuspended" && n != limit {
		return "", fmt.Errorf("%d rows, %d were asked for", n, limit)
	}
	if n > 0 {
		fmt.Fprintf(&r.said, " %d rows", n)
	}
	if name == "CopyOutResponse" {
		return r.copyOut()
	}
	return name, nil
}

func (r *answerReader) copyOut() (name string, err error) {
	for err == nil && name != "CopyDone" && name != "ErrorResponse" {
		name, err = r.take("CopyData", "CopyDone")
	}
	if err != nil || name == "ErrorResponse" {
		return name, err
	}
	return r.take("CommandComplete")
}

// ready reads up to ReadyForQuery: an error may stand before it, and the results of a
// simple query.
func (r *answerReader) ready(results bool) error {
	declared, failed := -1, false
	for {
		names := []string{"ReadyForQuery"}
		if results && !failed {
			n, err := r.rows(declared)
			if err != nil {
				return err
			}
			if n > 0 {
				fmt.Fprintf(&r.said, " %d rows", n)
			}
			names = append(names, "CommandComplete", "EmptyQueryResponse", "RowDescription", "CopyInResponse", "CopyOutResponse")
		}
		if d, ok := r.next.(*pgproto3.RowDescription); ok {
			declared = len(d.Fields)
		} else {
			declared = -1
		}
		name, err := r.take(names...)
		switch {
		case err != nil:
			return err
		case name == "ReadyForQuery":
			return nil
		case name == "ErrorResponse" && failed:
			return errors.New("two errors")
		case name == "ErrorResponse":
			failed = true
		case name == "CopyOutResponse":
			if name, err = r.copyOut(); err != nil {
				return err
			}
			failed = name == "ErrorResponse"
		}
	}
}
