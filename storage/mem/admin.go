package mem

import (
	"context"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

type admin struct{ s *Store }

func (a admin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	const op = storage.OpCreateTable
	if err := a.s.check(ctx, op, spec.Name); err != nil {
		return err
	}
	if err := storage.CheckTableSpec(op, &spec); err != nil {
		return err
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.s.tables[spec.Name] != nil {
		return storage.Errorf(storage.CodeAlreadyExists, op, spec.Name, "table already exists")
	}
	a.s.tables[spec.Name] = &tableState{spec: spec.Normalize(), rows: newTree()}
	return nil
}

func (a admin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	const op = storage.OpAlterTable
	if err := a.s.check(ctx, op, spec.Name); err != nil {
		return err
	}
	if err := storage.CheckTableSpec(op, &spec); err != nil {
		return err
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	t := a.s.tables[spec.Name]
	if t == nil {
		return errNoTable(op, spec.Name)
	}
	merged := t.spec
	merged.Families = slices.DeleteFunc(slices.Clone(merged.Families), func(old storage.FamilySpec) bool {
		return slices.ContainsFunc(spec.Families, func(f storage.FamilySpec) bool { return f.Name == old.Name })
	})
	merged.Families = append(merged.Families, spec.Families...)
	a.s.tables[spec.Name] = &tableState{merged.Normalize(), t.rows, t.bytes}
	return nil
}

func (a admin) DropTable(ctx context.Context, name string) error {
	const op = storage.OpDropTable
	if err := a.s.check(ctx, op, name); err != nil {
		return err
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.s.tables[name] == nil {
		return errNoTable(op, name)
	}
	delete(a.s.tables, name)
	return nil
}

func (a admin) Truncate(ctx context.Context, name string) error {
	const op = storage.OpTruncate
	if err := a.s.check(ctx, op, name); err != nil {
		return err
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	t := a.s.tables[name]
	if t == nil {
		return errNoTable(op, name)
	}
	a.s.tables[name] = &tableState{spec: t.spec, rows: newTree()}
	return nil
}

func (a admin) Tables(ctx context.Context) ([]storage.TableSpec, error) {
	if err := a.s.check(ctx, storage.OpTables, ""); err != nil {
		return nil, err
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	specs := make([]storage.TableSpec, 0, len(a.s.tables))
	for _, t := range a.s.tables {
		specs = append(specs, t.spec.Normalize())
	}
	slices.SortFunc(specs, func(a, b storage.TableSpec) int { return strings.Compare(a.Name, b.Name) })
	return specs, nil
}
