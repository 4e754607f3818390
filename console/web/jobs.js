// The changes of tables that go on while the tables serve.
import { ask, num, percent } from '/web/data.js';
import { h, head, panel, table } from '/web/ui.js';

export const title = 'Jobs';
export const every = 3000;

export async function load() {
  const all = await ask('jobs');
  const part = r => r.rows_total > 0 ? Math.min(1, r.rows_done / r.rows_total) : null;
  return () => [head('Jobs', 'indexes that are filled, salt that is changed'), panel('Running', all, rows => table('Running', [
    { key: 'table_name', label: 'table' },
    { key: 'command', label: 'command', kind: 'code' },
    { key: 'state', label: 'state' },
    { key: 'rows_done', label: 'rows done', kind: 'num', show: (v, r) => [num(v), h('small', {}, r.rows_total ? ' of ' + num(r.rows_total) : '')] },
    { key: 'part', label: 'done', show: (v, r) => part(r) === null ? '–' : h('div', { class: 'bar', vars: { v: part(r) }, role: 'img', 'aria-label': percent(part(r)) }, h('i')) },
    { key: 'rows_per_second', label: 'rows/s', kind: 'num', wide: true },
    { key: 'seconds', label: 'since', kind: 'seconds', wide: true },
    { key: 'server', label: 'server', kind: 'code', wide: true },
  ], rows), { empty: 'No job runs. CREATE INDEX and ALTER TABLE … SET SALT_BUCKETS of a table with rows are seen here while they work.' })];
}
