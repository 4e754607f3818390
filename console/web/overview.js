// Rates, latency and errors, what there is now, and what takes the time.
import { ask, num, bytes, ms } from '/web/data.js';
import { h, head, panel, table, share, spark, sqlLink } from '/web/ui.js';

export const title = 'Overview';
export const every = 2000;

const kept = 120; // samples: four minutes
const samples = [];
let advice;

// rates are those between neighbours. A counter that has fallen was reset, and gives none.
function rates() {
  const out = [];
  for (let i = 1; i < samples.length; i++) {
    const a = samples[i - 1], b = samples[i], s = (b.at - a.at) / 1000;
    const d = k => Math.max(0, b[k] - a[k]);
    if (s <= 0) continue;
    out.push({
      statements: d('statements') / s, latency: d('statements') ? d('exec_ms') / d('statements') : 0, errors: d('errors') / s,
      rows_read: d('rows_read') / s, storage_calls: d('storage_calls') / s, bytes_read: d('bytes_read') / s,
    });
  }
  return out;
}

export async function load() {
  const [sums, now, queries, heat] = await Promise.all([ask('overview'), ask('now'), ask('queries'), ask('heat')]);
  advice ??= await ask('advice'); // it plans statements: once is enough
  const r = sums.rows[0];
  if (r) {
    samples.push({ ...Object.fromEntries(Object.entries(r).map(([k, v]) => [k, Number(v)])), at: performance.now() });
    if (samples.length > kept) samples.shift();
  }
  return () => draw(sums, now, queries, heat);
}

const tiles = [
  ['statements', 'Statements', num, '/s', r => num(r.statements) + ' in all'],
  ['latency', 'Mean time', ms, '', r => Number(r.statements) ? ms(r.exec_ms / r.statements) + ' since the start' : ''],
  ['errors', 'Errors', num, '/s', r => num(r.errors) + ' in all'],
  ['rows_read', 'Rows read', num, '/s', r => num(r.rows_read) + ' in all'],
  ['storage_calls', 'Storage calls', num, '/s', r => num(r.storage_calls) + ' in all'],
  ['bytes_read', 'Bytes read', bytes, '/s', r => bytes(r.bytes_read) + ' in all'],
];

function draw(sums, now, queries, heat) {
  const all = rates(), last = all.at(-1), n = now.rows[0] ?? {};
  const tile = ([key, label, write, unit, total]) => h('div', { class: 'tile' }, h('dt', {}, label),
    h('dd', {}, last ? write(last[key]) : '–', h('small', {}, last ? unit : '')),
    h('canvas', { 'data-line': key, role: 'img', 'aria-label': `${label}: ${last ? write(last[key]) + unit : 'not measured yet'}` }),
    h('dd', { class: 'sum' }, total(sums.rows[0])));
  const fact = (label, v) => h('div', {}, h('dt', {}, label), h('dd', {}, num(v)));
  const top = queries.rows.reduce((s, r) => s + Number(r.total_ms), 0);
  return [
    head('Overview', 'every two seconds, while it is seen'),
    panel('All servers', sums, () => h('dl', { class: 'tiles' }, tiles.map(tile)), { note: 'last four minutes' }),
    panel('Now', now, () => h('dl', { class: 'facts' }, fact('sessions', n.sessions), fact('active', n.active), fact('waiting for locks', n.waiting),
      fact('jobs', n.jobs), fact('tables', n.tables), fact('salted', n.salted))),
    h('div', { class: 'two' },
      panel('Where the time goes', queries, rows => table('Statements by time', [
        { key: 'query', label: 'statement', kind: 'code', show: (v, r) => h('a', { href: '#/queries/' + r.queryid, 'data-k': r.queryid }, v.replace(/\s+/g, ' ')) },
        { key: 'mean_ms', label: 'mean', kind: 'ms', wide: true },
        { key: 'total_ms', label: 'total', kind: 'ms', show: (v, r) => [ms(v), share(v / top)] },
      ], rows.slice(0, 8)), { empty: 'No statements are counted yet.' }),
      panel('Busiest tables', heat, rows => table('Busiest tables', [
        { key: 'table_name', label: 'table', show: (v, r) => h('a', { href: `#/heat/${r.table_oid}/${encodeURIComponent(r.index_name ?? '')}` }, v, r.index_name ? h('small', {}, ' ' + r.index_name) : '') },
        { key: 'reads', label: 'reads', kind: 'num' }, { key: 'writes', label: 'writes', kind: 'num' },
        { key: 'peak', label: 'peak', kind: 'num', show: peak },
      ], rows.slice(0, 8)), { empty: 'Nothing was read or written yet.' })),
    panel('Advice', advice, rows => table('Advice', [
      { key: 'index_definition', label: 'an index that would spare work', kind: 'code', show: v => h('a', { href: sqlLink('EXPLAIN ADVISE ' + rows.find(r => r.index_definition === v).query) }, v) },
      { key: 'rows_spared', label: 'rows spared', kind: 'num' }, { key: 'calls', label: 'statements', kind: 'num', wide: true }, { key: 'writes', label: 'writes to keep it', kind: 'num', wide: true },
    ], rows), { empty: 'Nothing to advise: no statement would read much less by an index that is not there.' }),
  ];
}

// peak is the busiest bucket as a multiple of the mean; marked where chance does not explain it.
export const peak = (v, r) => v === null ? '–'
  : h('span', { class: Number(v) > 1.2 * Number(r.expected_peak) ? 'hot' : undefined }, Number(v).toFixed(2) + ' ×');

export function shown(main) {
  const all = rates();
  for (const c of main.querySelectorAll('canvas[data-line]')) spark(c, all.map(r => r[c.dataset.line]), kept);
}
