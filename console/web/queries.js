// The statements that take the time, by shape; and one of them.
import { ask, num, bytes, ms } from '/web/data.js';
import { h, head, panel, table, share, sqlLink } from '/web/ui.js';

export const title = 'Queries';

const sort = { key: 'total_ms', down: true };

export async function load([id]) {
  if (id) return one(id);
  const all = await ask('queries');
  const sum = all.rows.reduce((s, r) => s + Number(r.total_ms), 0);
  return again => [head('Queries', 'by shape, without constants, of all servers since their start'), panel('Statements', all, rows => table('Statements', [
    { key: 'query', label: 'statement', kind: 'code', show: (v, r) => h('a', { href: '#/queries/' + r.queryid, 'data-k': r.queryid }, v.replace(/\s+/g, ' ')) },
    { key: 'total_ms', label: 'total', kind: 'ms', show: v => [ms(v), share(v / sum)] },
    { key: 'calls', label: 'calls', kind: 'num' },
    { key: 'mean_ms', label: 'mean', kind: 'ms' },
    { key: 'max_ms', label: 'longest', kind: 'ms', wide: true },
    { key: 'rows', label: 'rows', kind: 'num', wide: true },
    { key: 'rows_read', label: 'rows read', kind: 'num', wide: true },
    { key: 'storage_calls', label: 'storage calls', kind: 'num', wide: true },
    { key: 'bytes_read', label: 'bytes read', kind: 'bytes', wide: true },
    { key: 'errors', label: 'errors', kind: 'num', wide: true, show: v => v === '0' ? '0' : h('span', { class: 'hot' }, num(v)) },
  ], rows, { sort, again }), { empty: 'No statements are counted yet, or --statements is 0.' })];
}

async function one(id) {
  const all = await ask('query', id);
  const text = all.rows[0]?.query ?? '';
  const a = k => all.rows.reduce((s, r) => s + Number(r[k]), 0), calls = a('calls') || 1;
  const tile = (label, v, note) => h('div', { class: 'tile' }, h('dt', {}, label), h('dd', {}, v), h('dd', { class: 'sum' }, note));
  return () => [
    head('Statement', h('span', { class: 'mono' }, id), h('a', { class: 'button quiet', href: sqlLink(text) }, 'Open on the SQL page')),
    panel('Text', all, () => h('pre', { tabindex: 0, 'aria-label': 'Text' }, text), { empty: 'This shape is not counted any more.' }),
    all.rows.length ? panel('One call, on average', all, () => h('dl', { class: 'tiles' },
      tile('Time', ms(a('total_ms') / calls), `${num(calls)} calls, ${ms(a('total_ms'))} in all`),
      tile('Rows', num(a('rows') / calls), `${num(a('rows'))} in all`),
      tile('Rows read', num(a('rows_read') / calls), a('rows') ? `${num(a('rows_read') / a('rows'))} for each row given` : ''),
      tile('Storage calls', num(a('storage_calls') / calls), `${num(a('storage_calls'))} in all`),
      tile('Buckets', num(a('buckets') / calls), 'salt buckets that were read'),
      tile('Bytes read', bytes(a('bytes_read') / calls), `${bytes(a('bytes_read'))} in all`))) : '',
    all.rows.length ? panel('On each server', all, rows => table('On each server', [
      { key: 'server', label: 'server', kind: 'code' }, { key: 'calls', label: 'calls', kind: 'num' }, { key: 'total_ms', label: 'total', kind: 'ms' },
      { key: 'mean_ms', label: 'mean', kind: 'ms' }, { key: 'min_ms', label: 'shortest', kind: 'ms', wide: true }, { key: 'max_ms', label: 'longest', kind: 'ms', wide: true },
      { key: 'stddev_ms', label: 'deviation', kind: 'ms', wide: true }, { key: 'rows_written', label: 'rows written', kind: 'num', wide: true },
      { key: 'spill_bytes', label: 'on disk', kind: 'bytes', wide: true }, { key: 'errors', label: 'errors', kind: 'num' },
    ], rows)) : '',
  ];
}
