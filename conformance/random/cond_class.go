package random

import "fmt"

// classCond is a condition that only columns of c's kind of type take; "" where
// there is none.
func (g *Gen) classCond(c Column) string {
	n := c.Name
	switch c.typ.class {
	case classInt:
		return g.intCond(n)
	case classNumeric:
		return g.pick([]string{
			fmt.Sprintf("%s %s %s", n, g.op(), g.pick([]string{"1", "1.5", "0.005", "99", "1.5::float8", "1::bigint", "-1e3"})),
			fmt.Sprintf("round(%s) %s 1", n, g.op()),
			fmt.Sprintf("%s * 2 %s 3", n, g.op()),
			g.form("another type") + fmt.Sprintf("%s::numeric(30,1) %s 1.5", n, g.op()),
		})
	case classFloat:
		return g.pick([]string{
			fmt.Sprintf("%s %s %s", n, g.op(), g.pick([]string{"1", "1.5", "0.1", "0.25::real", "0.25::float8", "2", "1::bigint", "2.5::numeric"})),
			g.form("another type") + fmt.Sprintf("%s::float8 %s 0.25", n, g.op()),
			fmt.Sprintf("%s = 'NaN'", n),
		})
	case classText, classChar:
		return g.textCond(c)
	case classBool:
		return g.pick([]string{n, "NOT " + n, n + " IS TRUE", n + " IS NOT TRUE", n + " IS FALSE", n + " IS NOT FALSE", n + " IS UNKNOWN", "(" + n + " = true) = false"})
	case classDate:
		return g.dateCond(n)
	case classTimestamp:
		return g.stampCond(n)
	case classTime:
		return g.pick([]string{
			g.form("extract") + fmt.Sprintf("extract(hour FROM %s) %s 12", n, g.op()),
			fmt.Sprintf("%s + interval '1 hour' %s '01:00'", n, g.op()),
		})
	case classInterval:
		return g.pick([]string{
			g.form("extract") + fmt.Sprintf("extract(epoch FROM %s) %s 86400", n, g.op()),
			fmt.Sprintf("%s + interval '1 day' %s '1 mon'", n, g.op()),
			fmt.Sprintf("%s * 2 %s '60 days'", n, g.op()),
			fmt.Sprintf("justify_hours(%s) %s '1 day'", n, g.op()),
		})
	case classBytea:
		return g.pick([]string{
			fmt.Sprintf("length(%s) %s %d", n, g.op(), g.r.IntN(3)),
			fmt.Sprintf(`%s || '\x00' %s '\x0000'`, n, g.op()),
			fmt.Sprintf(`substr(%s, 1, 1) %s '\x00'`, n, g.op()),
		})
	case classUUID:
		return g.form("another type") + fmt.Sprintf("%s::text %s '12345678-9abc-def0-1234-56789abcdef0'", n, g.op())
	case classArray:
		return g.arrayCond(c)
	case classJSON:
		return g.pick([]string{
			fmt.Sprintf("%s @> %s", n, g.probe(c)),
			fmt.Sprintf("%s <@ %s", n, g.probe(c)),
			fmt.Sprintf("%s ? %s", n, g.pick([]string{"'a'", "'b'", "'x'"})),
			fmt.Sprintf("%s -> 'a' %s '1'", n, g.op()),
			fmt.Sprintf("%s ->> 'a' %s 'x'", n, g.op()),
			fmt.Sprintf("%s #>> '{b,0}' %s 'true'", n, g.op()),
			fmt.Sprintf("jsonb_typeof(%s) %s 'object'", n, g.op()),
			g.form("another type") + fmt.Sprintf("%s::text %s '[1, 2]'", n, g.op()),
		})
	}
	return ""
}

func (g *Gen) arrayCond(c Column) string {
	n := c.Name
	e := Column{Name: n, typ: c.typ.elem}
	list := []string{
		fmt.Sprintf("array_length(%s, 1) %s 2", n, g.op()),
		fmt.Sprintf("cardinality(%s) %s %d", n, g.op(), g.r.IntN(3)),
		fmt.Sprintf("%s[%d] %s %s", n, g.r.IntN(3), g.op(), g.val(e)),
		fmt.Sprintf("array_position(%s, CAST(%s AS %s)) IS NULL", n, g.val(e), e.typ.plain),
	}
	member := g.form("= ANY of a column") + fmt.Sprintf("%s %s %s(%s)", g.val(e), g.op(), g.pick([]string{"ANY", "ANY", "ALL"}), n)
	list = append(list, member, member, member)
	for _, op := range []string{"@>", "<@", "&&", "="} {
		list = append(list, fmt.Sprintf("%s %s %s", n, op, g.array(e)))
	}
	for _, d := range g.Table.columns() {
		if d.typ.oid == e.typ.oid {
			list = append(list, fmt.Sprintf("%s = ANY(%s)", d.Name, n), fmt.Sprintf("%s <> ALL(%s)", d.Name, n))
		}
	}
	return g.pick(list)
}

func (g *Gen) intCond(n string) string {
	small := fmt.Sprint(g.r.IntN(5))
	return g.pick([]string{
		fmt.Sprintf("%s %s %s", n, g.op(), g.pick([]string{"1.5", "2.0", "3000000000", "-1e3", "0", "'2'", "1e30", "2::smallint", "2::bigint", "1.5::float8", "2::numeric", "2::real", "99999999999999999999", "-99999999999999999999"})),
		fmt.Sprintf("%s BETWEEN 0.5 AND %s", n, g.pick([]string{"2.5", "1", "4000000000"})),
		fmt.Sprintf("%s IN (1, 2.0, %s)", n, small),
		fmt.Sprintf("%s = ANY('{1,2,%s}'::%s[])", n, small, g.pick([]string{"bigint", "smallint", "numeric", "integer"})),
		fmt.Sprintf("%s %% 2 %s %d", n, g.op(), g.r.IntN(2)),
		fmt.Sprintf("%s / 2 %s 1", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s::%s %s %s", n, g.pick([]string{"bigint", "numeric", "float8"}), g.op(), small),
		g.form("another type") + fmt.Sprintf("%s::numeric + 1 %s %s", n, g.op(), small),
		g.form("another type") + fmt.Sprintf("%s::text %s '%s'", n, g.op(), small),
		fmt.Sprintf("%s + 0.5 %s %s", n, g.op(), small),
	})
}

var patterns = []string{"a%", "a%", "ab%", "%b", "_b%", "a", "", "%", `b\%%`, `b\%`, `a\_%`, "a_b%", `a\\b%`, "é%", "a%b", "%a%", "aa%", "a\x01%", "\U0010FFFF%", "_", "ab_"}

var prefixes = []string{"a", "ab", "", "b", "b%", "é", "zz", "\U0010FFFF", "ÿ"}

func (g *Gen) textCond(c Column) string {
	n := c.Name
	switch g.r.IntN(9) {
	case 0, 1:
		return g.form("LIKE") + fmt.Sprintf("%s %sLIKE %s", n, g.pick([]string{"", "", "", "NOT "}), g.text(patterns...))
	case 2:
		return g.form("LIKE … ESCAPE") + fmt.Sprintf("%s LIKE %s ESCAPE %s", n, g.text("a!%%", "b!%", "a!_b%", "!a%", "%!%%", "a%"), g.pick([]string{"'!'", "'!'", "''"}))
	case 3:
		return fmt.Sprintf("%s %sILIKE %s", n, g.pick([]string{"", "NOT "}), g.text("a%", "B%", "%b", "AB"))
	case 4:
		if g.one(2) {
			return g.form("^@, starts_with") + fmt.Sprintf("%s ^@ %s", n, g.text(prefixes...))
		}
		return g.form("^@, starts_with") + fmt.Sprintf("starts_with(%s, %s)", n, g.text(prefixes...))
	case 5:
		return g.form("regular expression") + fmt.Sprintf("%s %s %s", n, g.pick([]string{"~", "~", "~", "!~", "~*"}), g.text("^a", "^ab", "^(a|b)", "^a.*b$", "b$", "^", "^a\\\\b", "^b%", "^(ab)", "^a{2}", "^ab?", "^ab*", "^ab+", "^[ab]", "^a|^b", "^\\\\"))
	case 6:
		return g.pick([]string{
			fmt.Sprintf("length(%s) %s %d", n, g.op(), g.r.IntN(4)),
			fmt.Sprintf("upper(%s) %s 'AB'", n, g.op()),
			fmt.Sprintf("substr(%s, 1, 1) %s 'a'", n, g.op()),
			fmt.Sprintf("left(%s, 1) %s 'a'", n, g.op()),
			fmt.Sprintf("%s || 'b' %s 'ab'", n, g.op()),
			fmt.Sprintf("position('b' in %s) %s 1", n, g.op()),
		})
	}
	return g.pick([]string{
		g.form("another type") + fmt.Sprintf("%s %s 'a'::varchar(3)", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s %s 'a'::char(2)", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s %s 'ab'::text", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s::varchar %s 'ab'", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s::text %s 'a'", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s::varchar(1) %s 'a'", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s::char(2) %s 'a'", n, g.op()),
	})
}

func (g *Gen) dateCond(n string) string {
	return g.pick([]string{
		g.form("another type") + fmt.Sprintf("%s %s timestamp '2024-02-29 %s'", n, g.op(), g.pick([]string{"00:00", "12:00", "23:59:59.999999"})),
		g.form("another type") + fmt.Sprintf("%s %s timestamptz '2024-01-01 00:00%s'", n, g.op(), g.pick([]string{"+00", "+02", "-05"})),
		g.form("another type") + fmt.Sprintf("%s::timestamp %s '2024-02-28 12:00'", n, g.op()),
		g.form("date_trunc") + fmt.Sprintf("date_trunc('month', %s) %s timestamp '2024-02-01'", n, g.op()),
		g.form("date_trunc") + fmt.Sprintf("date_trunc('year', %s) = '2024-01-01'", n),
		g.form("extract") + fmt.Sprintf("extract(year FROM %s) %s %d", n, g.op(), 2023+g.r.IntN(3)),
		g.form("extract") + fmt.Sprintf("extract(month FROM %s) %s 2", n, g.op()),
		g.form("extract") + fmt.Sprintf("date_part('year', %s) = 2024", n),
		g.form("extract") + fmt.Sprintf("extract(year FROM %s) BETWEEN 1970 AND 2023", n),
		fmt.Sprintf("%s + 1 %s date '2024-02-29'", n, g.op()),
		fmt.Sprintf("%s - interval '1 month' %s '2024-01-28'", n, g.op()),
	})
}

func (g *Gen) stampCond(n string) string {
	return g.pick([]string{
		g.form("another type") + fmt.Sprintf("%s %s date '2024-01-01'", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s %s timestamptz '2024-01-01 00:00%s'", n, g.op(), g.pick([]string{"+00", "+02", "-05"})),
		g.form("another type") + fmt.Sprintf("%s %s timestamp '2024-01-01 00:00'", n, g.op()),
		g.form("another type") + fmt.Sprintf("%s::date %s '2024-01-01'", n, g.op()),
		g.form("date_trunc") + fmt.Sprintf("date_trunc('%s', %s) %s '2024-01-01'", g.pick([]string{"day", "month", "year", "hour", "week", "quarter"}), n, g.op()),
		g.form("date_trunc") + fmt.Sprintf("date_trunc('month', %s) IN ('2024-01-01', '2024-06-01')", n),
		g.form("extract") + fmt.Sprintf("extract(year FROM %s) %s %d", n, g.op(), 2023+g.r.IntN(3)),
		g.form("extract") + fmt.Sprintf("extract(day FROM %s) %s 1", n, g.op()),
		fmt.Sprintf("%s + interval '1 day' %s '2024-01-02'", n, g.op()),
		fmt.Sprintf("%s AT TIME ZONE 'UTC' %s '2024-01-01'", n, g.op()),
	})
}
