package infoschema

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/types"
)

// What information_schema says of types, and the views over functions and domains.

func init() {
	pgcatalog.Source("information_schema.routines", infoRoutines)
	pgcatalog.Source("information_schema.parameters", infoParameters)
	pgcatalog.Source("information_schema.domains", infoDomains)

	inner := func(name string, args []types.T, f func(t types.T) (int, bool)) {
		pgcatalog.Function("information_schema."+name, args, types.Of(types.Int4), func(c *pgcatalog.Call) (types.Datum, error) {
			t, ok := types.FromOID(uint32(c.Args[0].Int), int32(c.Args[1].Int))
			if !ok {
				return null, nil
			}
			n, ok := f(t)
			if !ok {
				return null, nil
			}
			return num(n), nil
		})
	}
	of := []types.T{types.Of(types.OID), types.Of(types.Int4)}
	inner("_pg_char_max_length", of, charLength)
	inner("_pg_char_octet_length", of, octetLength)
	inner("_pg_numeric_precision", of, numericPrecision)
	inner("_pg_numeric_precision_radix", of, numericRadix)
	inner("_pg_numeric_scale", of, numericScale)
	inner("_pg_datetime_precision", of, func(t types.T) (int, bool) { return datetimePrecision(t, t.Typmod()) })
	pgcatalog.Function("information_schema._pg_interval_type", of, types.Of(types.Text), func(c *pgcatalog.Call) (types.Datum, error) {
		t, ok := types.FromOID(uint32(c.Args[0].Int), int32(c.Args[1].Int))
		if !ok {
			return null, nil
		}
		return intervalType(t), nil
	})
}

// maxOctets is the longest text, as information_schema has it.
const maxOctets = 1 << 30

func charLength(t types.T) (int, bool) {
	if t.Kind == types.Varchar || t.Kind == types.Bpchar {
		return t.Length()
	}
	return 0, false
}

func octetLength(t types.T) (int, bool) {
	switch t.Kind {
	case types.Text:
		return maxOctets, true
	case types.Varchar, types.Bpchar:
		if n, ok := t.Length(); ok {
			return 4 * n, true
		}
		return maxOctets, true
	}
	return 0, false
}

func numericPrecision(t types.T) (int, bool) {
	switch t.Kind {
	case types.Int2:
		return 16, true
	case types.Int4:
		return 32, true
	case types.Int8:
		return 64, true
	case types.Float4:
		return 24, true
	case types.Float8:
		return 53, true
	case types.Numeric:
		p, _, ok := t.Precision()
		return p, ok
	}
	return 0, false
}

func numericRadix(t types.T) (int, bool) {
	switch t.Kind {
	case types.Int2, types.Int4, types.Int8, types.Float4, types.Float8:
		return 2, true
	case types.Numeric:
		return 10, true
	}
	return 0, false
}

func numericScale(t types.T) (int, bool) {
	switch t.Kind {
	case types.Int2, types.Int4, types.Int8:
		return 0, true
	case types.Numeric:
		_, s, ok := t.Precision()
		return s, ok
	}
	return 0, false
}

func datetimePrecision(t types.T, mod int32) (int, bool) {
	switch t.Kind {
	case types.Date:
		return 0, true
	case types.Time, types.Timestamp, types.Timestamptz:
		if mod >= 0 {
			return int(mod), true
		}
		return types.MaxTimePrecision, true
	case types.Interval:
		if p := mod & 0xffff; mod >= 0 && p <= types.MaxTimePrecision {
			return int(p), true
		}
		return types.MaxTimePrecision, true
	}
	return 0, false
}

// intervalType is the fields that an interval is kept to: YEAR TO MONTH, DAY TO SECOND(2).
func intervalType(t types.T) types.Datum {
	if t.Kind != types.Interval {
		return null
	}
	_, fields, ok := strings.Cut(t.Plain().String(), " ")
	if !ok {
		return null
	}
	return text(strings.ToUpper(fields))
}

// udtOf gives the name of a type, NULL where there is none of that OID, and what data_type says
// of it.
func udtOf(id uint32) (udt types.Datum, data string) {
	name, array := pgcatalog.TypeNamedOf(id)
	if array {
		return text(name), "ARRAY"
	}
	return optional(name), pgcatalog.TypeText(id, -1)
}

func specificName(p *pgcatalog.ProcFact) string { return fmt.Sprintf("%s_%d", p.Bare, p.OID) }

func infoRoutines(q *pgcatalog.Query) error {
	for _, p := range pgcatalog.Routines() {
		if !q.IsText("routine_name", p.Bare) || !q.IsText("routine_schema", p.Schema) || !q.IsText("specific_name", specificName(p)) {
			continue
		}
		kind := null
		if p.Kind == 'f' {
			kind = text("FUNCTION")
		}
		udt, data := udtOf(p.Result)
		row := map[string]types.Datum{
			"specific_catalog": text(q.Database()), "specific_schema": text(p.Schema), "specific_name": text(specificName(p)),
			"routine_catalog": text(q.Database()), "routine_schema": text(p.Schema), "routine_name": text(p.Bare), "routine_type": kind,
			"data_type": text(data), "type_udt_catalog": text(q.Database()), "type_udt_schema": text("pg_catalog"),
			"dtd_identifier": text("0"), "routine_body": text("EXTERNAL"), "external_language": text("INTERNAL"),
			"parameter_style": text("GENERAL"), "is_deterministic": yesNo(p.Volatile == 'i'), "sql_data_access": text("MODIFIES"),
			"is_null_call": yesNo(p.Strict), "schema_level_routine": yesNo(true), "max_dynamic_result_sets": num(0),
			"security_type": text("INVOKER"), "as_locator": yesNo(false), "is_udt_dependent": yesNo(false),
			"routine_definition": text(p.Src), "type_udt_name": udt,
		}
		if err := q.Named(row); err != nil {
			return err
		}
	}
	return nil
}

func infoParameters(q *pgcatalog.Query) error {
	modes := map[string]string{"i": "IN", "o": "OUT", "b": "INOUT", "v": "IN"}
	for _, p := range pgcatalog.Routines() {
		if !q.IsText("specific_name", specificName(p)) {
			continue
		}
		args, names := p.Args, p.ArgNames()
		if len(p.AllArgs) > 0 {
			args = p.AllArgs
		}
		marks := strings.Fields(p.Modes)
		for i, a := range args {
			mode := "IN"
			if i < len(marks) {
				mode = modes[marks[i]]
			}
			if mode == "" {
				continue // a column of the table that the function gives
			}
			name := null
			if i < len(names) {
				name = optional(names[i])
			}
			row := map[string]types.Datum{
				"specific_catalog": text(q.Database()), "specific_schema": text(p.Schema), "specific_name": text(specificName(p)),
				"ordinal_position": num(i + 1), "parameter_mode": text(mode), "is_result": yesNo(false), "as_locator": yesNo(false),
				"parameter_name": name, "udt_catalog": text(q.Database()), "udt_schema": text("pg_catalog"), "dtd_identifier": text(fmt.Sprint(i + 1)),
			}
			if udt, data := udtOf(a); !udt.Null {
				row["udt_name"], row["data_type"] = udt, text(data)
			}
			if err := q.Named(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func infoDomains(q *pgcatalog.Query) error {
	for i := range pgcatalog.DomainFacts() {
		d := &pgcatalog.DomainFacts()[i]
		if !q.IsText("domain_name", d.Name) {
			continue
		}
		t, _ := types.FromOID(d.Base, int32(d.Typmod))
		row := map[string]types.Datum{"domain_catalog": text(q.Database()), "domain_schema": text("information_schema"), "domain_name": text(d.Name)}
		if d.Collation != 0 {
			row["collation_catalog"], row["collation_schema"], row["collation_name"] = text(q.Database()), text("pg_catalog"), text("C")
		}
		typeInfo(q, row, pgcatalog.Attribute{Num: 1, Typ: t})
		if err := q.Named(row); err != nil {
			return err
		}
	}
	return infoUserDomains(q)
}
