package session

import (
	"errors"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/settings/parsed"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/advise"
	"github.com/saltsql/saltsql/planner/plan"
)

// allowScan tells or refuses, as saltsql.full_scan asks, a statement that reads whole
// tables: 54000.
func (s *Session) allowScan(p *plan.Plan) error {
	mode := s.cached().FullScan
	if mode == parsed.FullScanOn {
		return nil
	}
	tables := advise.FullScans(p)
	if len(tables) == 0 {
		return nil
	}
	what := "this statement reads every row of " + strings.Join(tables, ", ")
	if mode == parsed.FullScanOff {
		return s.advised(sqlerr.New(sqlerr.ProgramLimitExceeded, "%s, which saltsql.full_scan = off forbids", what), p)
	}
	s.notice(s.advised(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", what), p))
	return nil
}

// advised gives an error the plan's advice as its hint.
func (s *Session) advised(e *sqlerr.Error, p *plan.Plan) *sqlerr.Error {
	for _, a := range s.advice(nil, p) {
		return e.WithHint("%s", a.Cure)
	}
	return e
}

// advice is what would spare a statement work; where it is not nil, by indexes too.
func (s *Session) advice(stmt *tree.Statement, p *plan.Plan) []advise.Advice {
	return advise.For(s.plannerContext(s.snapshot(), nil, false), stmt, p)
}

// governed adds the plan's advice to the error of a statement that read too many rows.
func (s *Session) governed(err error, p *plan.Plan) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Code != sqlerr.ProgramLimitExceeded || e.Hint != "" {
		return err
	}
	c := *e
	return s.advised(&c, p)
}
