// Which buckets are busy.
import { ask, num, bytes } from '/web/data.js';
import { h, head, panel, table, chart } from '/web/ui.js';
import { heatmap, cellsOf } from '/web/map.js';
import { peak } from '/web/overview.js';

export const title = 'Heat';

const sort = {};

export async function load([oid, index]) {
  const all = await ask('heat');
  const of = r => [r.table_oid, r.index_name ?? ''];
  if (!oid && all.rows[0]) [oid, index] = of(all.rows.find(r => r.buckets > 0) ?? all.rows[0]);
  const one = all.rows.find(r => r.table_oid === oid && (r.index_name ?? '') === (index ?? ''));
  const [buckets, minutes] = oid ? await Promise.all([ask('heat_buckets', oid, index ?? ''), ask('heat_minutes', oid, index ?? '')]) : [];
  const name = one ? one.table_name + (one.index_name ? ' · ' + one.index_name : '') : '';
  const labels = r => r.bucket ?? 'none';
  const draw = (what, key, write, how) => rows => chart(what, rows.map(labels), rows.map(r => Number(r[key])), write, how);
  return again => [
    head('Heat', one?.since ? `of ${name}, since ${new Date(one.since.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toLocaleString('en-GB')}` : ''),
    minutes && one ? panel('Minutes', minutes, rows => h('div', { class: 'maps' }, [['Writes', 'writes'], ['Reads', 'reads']].map(([what, key]) =>
      h('div', {}, heatmap(what, cellsOf(rows, key), Math.max(1, Number(one.buckets)))))), { note: 'a column is a minute, a row a bucket', empty: 'Nothing was read or written in the minutes that are kept.' }) : '',
    buckets && one ? h('div', { class: 'two' },
      panel('Reads of each bucket', buckets, draw('Reads', 'reads', num, { counts: true })),
      panel('Writes of each bucket', buckets, draw('Writes', 'writes', num, { counts: true, second: true })),
      panel('Rows read of each bucket', buckets, draw('Rows read', 'rows_read', num)),
      panel('Bytes read of each bucket', buckets, draw('Bytes read', 'bytes_read', bytes))) : '',
    panel('Tables and indexes', all, rows => table('Tables and indexes', [
      { key: 'table_name', label: 'table', show: (v, r) => h('a', { href: `#/heat/${r.table_oid}/${encodeURIComponent(r.index_name ?? '')}`, 'aria-current': r === one ? 'true' : undefined, 'data-k': r.table_oid + (r.index_name ?? '') }, r === one ? h('b', {}, v) : v) },
      { key: 'index_name', label: 'index', wide: true },
      { key: 'buckets', label: 'buckets', kind: 'num', show: v => v === '0' ? h('span', { class: 'null' }, 'no salt') : v },
      { key: 'reads', label: 'reads', kind: 'num' }, { key: 'writes', label: 'writes', kind: 'num' },
      { key: 'peak', label: 'peak', kind: 'num', show: peak },
      { key: 'expected_peak', label: 'by chance', kind: 'num', wide: true, show: v => v === null ? '–' : Number(v).toFixed(2) + ' ×' },
      { key: 'bytes_read', label: 'bytes read', kind: 'bytes', wide: true }, { key: 'bytes_written', label: 'bytes written', kind: 'bytes', wide: true },
    ], rows, { sort, again }), { empty: 'Nothing was read or written since the server started.', note: 'a peak is the busiest bucket, as a multiple of the mean' }),
    buckets?.rows.length ? h('section', { class: 'panel', 'aria-label': 'Each bucket' }, h('details', { 'data-k': 'as-table' }, h('summary', {}, 'Each bucket of ' + name + ' as a table'), table('Each bucket', [
      { key: 'bucket', label: 'bucket', kind: 'num' }, { key: 'reads', label: 'reads', kind: 'num' }, { key: 'writes', label: 'writes', kind: 'num' },
      { key: 'peak', label: 'of the mean', kind: 'num' }, { key: 'rows_read', label: 'rows read', kind: 'num' }, { key: 'rows_written', label: 'rows written', kind: 'num' },
    ], buckets.rows))) : '',
  ];
}

export function shown(main) {
  for (const c of main.querySelectorAll('canvas.map')) c.paint();
}
