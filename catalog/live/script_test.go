package live

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// script runs the commands of testdata. Its language is one definition per
// line, so that the catalog can be tested without a SQL front:
//
//	table [SCHEMA.]NAME
//	col [FAMILY.]NAME TYPE [notnull] [identity=a|d|s] [default=TEXT to the end of the line]
//	key A, B desc
//	opt NAME [= VALUE | = (A, B)]
//	check NAME TEXT
//	split VALUE VALUE …
type script struct {
	t     *testing.T
	store storage.Store
	c     *Catalog
}

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		store := mem.New()
		c := openTest(t, store)
		s := &script{t, store, c}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s.t = t
			return s.run(d)
		})
	})
}

func openTest(t testing.TB, store storage.Store) *Catalog {
	t.Helper()
	c, err := Open(context.Background(), store, asBy(OpenOptions{ListAfter: 2}), OpenOptions{ListAfter: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (s *script) run(d *datadriven.TestData) string {
	ctx := catalog.AsProgram(context.Background())
	var ns catalog.Notices
	var err error
	flag := func(name string) bool { return d.HasArg(name) }
	var names []catalog.Name
	for _, a := range d.CmdArgs {
		if len(a.Vals) == 0 && !slices.Contains([]string{"if-exists", "if-not-exists", "cascade", "restart"}, a.Key) {
			names = append(names, parseName(a.Key))
		}
	}
	switch d.Cmd {
	case "create":
		var def *catalog.TableDef
		if def, err = parseDef(d.Input); err == nil {
			var t *catalog.Table
			if t, ns, err = s.c.CreateTable(ctx, def, flag("if-not-exists")); err == nil && t != nil && flag("show") {
				return report(ns, nil) + s.c.Snapshot().ShowCreateTable(t) + "\n"
			}
		}
	case "show":
		return s.c.Snapshot().ShowCreateTable(s.table(names[0])) + "\n"
	case "describe":
		return describe(s.table(names[0]))
	case "drop-table":
		ns, err = s.c.DropTable(ctx, names, flag("if-exists"), flag("cascade"))
	case "drop-view":
		ns, err = s.c.DropView(ctx, names, flag("if-exists"), flag("cascade"))
	case "drop-sequence":
		ns, err = s.c.DropSequence(ctx, names, flag("if-exists"), flag("cascade"))
	case "truncate":
		err = s.c.TruncateTable(ctx, names, flag("restart"))
	case "create-schema":
		ns, err = s.c.CreateSchema(ctx, names[0].Name, 0, flag("if-not-exists"))
	case "drop-schema":
		ns, err = s.c.DropSchema(ctx, []string{names[0].Name}, flag("if-exists"), flag("cascade"))
	case "rename-schema":
		err = s.c.RenameSchema(ctx, names[0].Name, names[1].Name)
	case "create-view":
		def := &catalog.ViewDef{Name: names[0], Query: catalog.ViewQuery{Text: d.Input}, Columns: []catalog.ViewColumn{{Name: "a", Type: types.Of(types.Int4)}}, OrReplace: flag("replace")}
		for _, n := range names[1:] {
			def.DependsOn = append(def.DependsOn, s.c.Snapshot().Lookup(n).RelID())
		}
		_, ns, err = s.c.CreateView(ctx, def, flag("if-not-exists"))
	case "create-sequence":
		_, ns, err = s.c.CreateSequence(ctx, &catalog.SequenceDef{Name: names[0], Options: parseSequence(d)}, flag("if-not-exists"))
	case "nextval":
		return s.nextval(d, names[0])
	case "setval":
		var v int
		d.ScanArgs(s.t, "value", &v)
		err = s.c.SetVal(ctx, s.c.Snapshot().Lookup(names[0]).RelID(), int64(v), !flag("uncalled"))
	case "alter-sequence":
		alt := SequenceChange{RestartStart: d.HasArg("restart-start")}
		for key, p := range map[string]**int64{"start": &alt.Start, "increment": &alt.Increment, "min": &alt.Min, "max": &alt.Max, "cache": &alt.Cache, "restart": &alt.Restart} {
			if d.HasArg(key) {
				var n int
				d.ScanArgs(s.t, key, &n)
				v := int64(n)
				*p = &v
			}
		}
		ns, err = s.c.AlterSequence(ctx, names[0], flag("if-exists"), alt)
	case "rename-sequence", "rename-view":
		ns, err = s.c.RenameRelation(ctx, strings.TrimPrefix(d.Cmd, "rename-"), names[0], flag("if-exists"), names[1].Name)
	case "comment":
		err = s.c.CommentOn(ctx, d.CmdArgs[1].Key, names[0], "", d.Input)
	case "row":
		err = s.putRow(names[0], d.CmdArgs[1].Key)
	case "alter":
		var acts []AlterAction
		for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
			acts = append(acts, parseAction(s.t, line))
		}
		ns, err = s.c.AlterTable(ctx, names[0], flag("if-exists"), acts, AlterHooks{})
	case "list":
		return s.list()
	case "check":
		ps, err := s.c.Check(ctx)
		if err != nil {
			return report(nil, err)
		}
		out := "sound\n"
		for i, p := range ps {
			if i == 0 {
				out = ""
			}
			out += p.String() + "\n"
		}
		return out
	default:
		return "unknown command " + d.Cmd + "\n"
	}
	if out := report(ns, err); out != "" {
		return out
	}
	return "ok\n"
}

func (s *script) table(n catalog.Name) *catalog.Table {
	t, err := s.c.Snapshot().ResolveTable(nil, n.Schema, n.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

func (s *script) list() string {
	var b strings.Builder
	for _, sc := range s.c.Snapshot().Schemas() {
		fmt.Fprintf(&b, "schema %s\n", sc.Name)
	}
	for _, r := range s.c.Snapshot().Relations() {
		fmt.Fprintf(&b, "%s %s.%s\n", r.RelKind(), r.RelSchema(), r.RelName())
	}
	return b.String()
}

func (s *script) nextval(d *datadriven.TestData, n catalog.Name) string {
	count, times := 1, 1
	d.MaybeScanArgs(s.t, "n", &count)
	d.MaybeScanArgs(s.t, "times", &times)
	var b strings.Builder
	for range times {
		v, err := s.c.NextVal(catalog.AsProgram(context.Background()), s.c.Snapshot().Lookup(n).RelID(), count)
		if err != nil {
			return b.String() + report(nil, err)
		}
		fmt.Fprintf(&b, "%d step %d count %d\n", v.First, v.Step, v.Count)
	}
	return b.String()
}

// putRow writes a row whose columns outside the key are NULL.
func (s *script) putRow(n catalog.Name, key string) error {
	t := s.table(n)
	k, err := t.Codec().Key.AppendKey(nil, []types.Datum{types.NewText(key)})
	if err != nil {
		return err
	}
	m, v := t.Codec().Marker()
	return s.store.Table(t.Physical).Mutate(context.Background(), []storage.RowMutation{{Key: k, Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: m.Family, Qualifier: m.Qualifier, Timestamp: 1_700_000_000_000_000, Value: v,
	}}}}, storage.WriteOptions{})
}

func report(ns catalog.Notices, err error) string {
	var b strings.Builder
	for _, n := range append(slices.Clone(ns), sqlerr.As(err)) {
		if n == nil {
			continue
		}
		sev := n.Severity
		if sev == "" {
			sev = sqlerr.SeverityError
		}
		fmt.Fprintf(&b, "%s %s: %s\n", sev, n.SQLState(), n.Message)
		if n.Detail != "" {
			fmt.Fprintf(&b, "DETAIL: %s\n", n.Detail)
		}
		if n.Hint != "" {
			fmt.Fprintf(&b, "HINT: %s\n", n.Hint)
		}
	}
	if err != nil && sqlerr.As(err) == nil {
		fmt.Fprintf(&b, "not a SQL error: %v\n", err)
	}
	return b.String()
}

func describe(t *catalog.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "families %v next qualifier %d next column %d\n", t.Families(), t.NextQualifier, t.NextColumnID)
	m, _ := t.Codec().Marker()
	fmt.Fprintf(&b, "marker %s:%X\n", m.Family, m.Qualifier)
	for i := range t.Columns {
		c := &t.Columns[i]
		fmt.Fprintf(&b, "%d %s %s %s", c.ID, c.Name, c.Type, c.Store.Type)
		if c.KeyPos >= 0 {
			fmt.Fprintf(&b, " key %d desc %v\n", c.KeyPos, c.Desc)
			continue
		}
		fmt.Fprintf(&b, " %s:%X number %d\n", c.Family, c.Qualifier, c.Number)
	}
	for _, d := range t.Dropped {
		fmt.Fprintf(&b, "dropped %d %s:%X number %d\n", d.ID, d.Family, d.Qualifier, d.Number)
	}
	for _, s := range t.Options.Splits {
		fmt.Fprintf(&b, "split %X\n", s)
	}
	return b.String()
}

func parseName(s string) catalog.Name {
	if schema, name, ok := strings.Cut(s, "."); ok {
		return catalog.Name{Schema: schema, Name: name}
	}
	return catalog.Name{Name: s}
}

func parseDef(input string) (*catalog.TableDef, error) {
	def := &catalog.TableDef{}
	for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "table":
			def.Name = parseName(rest)
		case "col":
			c, err := parseColumn(rest)
			if err != nil {
				return nil, err
			}
			def.Columns = append(def.Columns, c)
		case "key":
			for _, k := range strings.Split(rest, ",") {
				name, dir, _ := strings.Cut(strings.TrimSpace(k), " ")
				def.PrimaryKey = append(def.PrimaryKey, catalog.KeyDef{Name: name, Desc: dir == "desc"})
			}
		case "opt":
			def.Options = append(def.Options, parseOption(rest))
		case "check":
			name, text, _ := strings.Cut(rest, " ")
			def.Checks = append(def.Checks, catalog.Check{Name: name, Text: text})
		case "split":
			var vals []types.Datum
			for i, v := range strings.Fields(rest) {
				k := slices.IndexFunc(def.Columns, func(c catalog.ColumnDef) bool { return c.Name == def.PrimaryKey[min(i, len(def.PrimaryKey)-1)].Name })
				d, err := types.ParseText(def.Columns[k].Type, []byte(v), &types.IOEnv{})
				if err != nil {
					return nil, err
				}
				vals = append(vals, d)
			}
			def.Splits = append(def.Splits, vals)
		default:
			return nil, fmt.Errorf("unknown line %q", line)
		}
	}
	return def, nil
}

func parseColumn(s string) (catalog.ColumnDef, error) {
	s, def, _ := strings.Cut(s, " default=")
	words := strings.Fields(s)
	c := catalog.ColumnDef{Name: words[0], Default: catalog.ColumnDefault{Text: def}}
	if f, n, ok := strings.Cut(words[0], "."); ok {
		c.Family, c.Name = f, n
	}
	typ, array := strings.CutSuffix(words[1], "[]")
	typ, args, _ := strings.Cut(strings.TrimSuffix(typ, ")"), "(")
	var mods []int32
	for _, m := range strings.Split(args, ",") {
		if n, err := strconv.Atoi(m); err == nil {
			mods = append(mods, int32(n))
		}
	}
	typ = strings.ReplaceAll(typ, "_precision", " precision")
	var ok bool
	var err error
	if c.Type, c.Store, ok, err = catalog.StorageTypeFromName(typ, mods, array); !ok {
		c.Type, err = types.FromName(typ, mods, array)
	}
	for _, w := range words[2:] {
		switch {
		case w == "notnull":
			c.NotNull = true
		case strings.HasPrefix(w, "identity="):
			c.Identity = w[len("identity=")]
		case strings.HasPrefix(w, "start="):
			n, _ := strconv.ParseInt(w[len("start="):], 10, 64)
			c.Sequence.Start = &n
		}
	}
	return c, err
}

func parseOption(s string) catalog.OptionDef {
	name, value, has := strings.Cut(s, "=")
	o := catalog.OptionDef{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), HasValue: has}
	if ns, n, ok := strings.Cut(o.Name, "."); ok {
		o.Namespace, o.Name = ns, n
	}
	if l, ok := strings.CutPrefix(o.Value, "("); ok {
		for _, e := range strings.Split(strings.TrimSuffix(l, ")"), ",") {
			o.List = append(o.List, strings.TrimSpace(e))
		}
		o.Value = ""
	}
	return o
}

func parseSequence(d *datadriven.TestData) catalog.SequenceOptions {
	o := catalog.SequenceOptions{Cycle: d.HasArg("cycle")}
	for _, a := range d.CmdArgs {
		if len(a.Vals) != 1 {
			continue
		}
		n, err := strconv.ParseInt(a.Vals[0], 10, 64)
		if err != nil {
			continue
		}
		switch a.Key {
		case "start":
			o.Start = &n
		case "increment":
			o.Increment = &n
		case "min":
			o.Min = &n
		case "max":
			o.Max = &n
		case "cache":
			o.Cache = n
		}
	}
	return o
}

func parseAction(t *testing.T, line string) AlterAction {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	args := strings.Fields(rest)
	switch word {
	case "add":
		rest, ine := strings.CutPrefix(rest, "if-not-exists ")
		c, err := parseColumn(rest)
		if err != nil {
			t.Fatal(err)
		}
		return AddColumn{Column: c, IfNotExists: ine}
	case "drop":
		return DropColumn{Name: args[0], IfExists: len(args) > 1}
	case "rename":
		return RenameColumn{From: args[0], To: args[1]}
	case "rename-table":
		return RenameTable{To: args[0]}
	case "set-schema":
		return SetSchema{Schema: args[0]}
	case "default":
		name, text, _ := strings.Cut(rest, " ")
		return SetDefault{Column: name, Default: catalog.ColumnDefault{Text: text}}
	case "set-not-null":
		return SetNotNull{Column: args[0]}
	case "drop-not-null":
		return DropNotNull{Column: args[0]}
	case "type":
		c, err := parseColumn(rest)
		if err != nil {
			t.Fatal(err)
		}
		return AlterType{Column: c.Name, Type: c.Type, Store: c.Store}
	case "set":
		return SetOptions{Options: []catalog.OptionDef{parseOption(rest)}}
	case "reset":
		return ResetOptions{Names: []catalog.OptionDef{{Name: rest}}}
	case "check":
		name, text, _ := strings.Cut(rest, " ")
		return AddCheck{Check: catalog.Check{Name: name, Text: text}}
	case "drop-constraint":
		return DropConstraint{Name: args[0], IfExists: len(args) > 1}
	case "rename-constraint":
		return RenameConstraint{From: args[0], To: args[1]}
	case "drop-identity":
		return DropIdentity{Column: args[0]}
	}
	t.Fatalf("unknown action %q", line)
	return nil
}
