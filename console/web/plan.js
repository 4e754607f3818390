// A plan as EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) has it: a tree, and the lanes of salted scans.
import { num, bytes, ms } from '/web/data.js';
import { h, table } from '/web/ui.js';

// Members that are shown by themselves, or not at all; the others are attributes.
const own = new Set(['Node Type', 'Relation Name', 'Alias', 'Index Name', 'Parent Relationship', 'Plans', 'Per Bucket', 'Output', 'Plan Rows', 'Startup Cost', 'Total Cost',
  'Actual Rows', 'Actual Loops', 'Actual Startup Time', 'Actual Total Time', 'Actual Storage Calls', 'Actual Rows Read', 'Actual Bytes']);
const expressions = new Set(['Span', 'Filter', 'Key', 'Sort Key', 'Group Key', 'Compute', 'Order', 'Join Filter', 'Hash Cond', 'Merge Cond']);

// drawPlan gives the tree of a plan; width is the room for it, in pixels.
export function drawPlan(plan, width) {
  const total = plan['Execution Time'] || plan.Plan['Actual Total Time'] || 1;
  return h('ul', { class: 'plan', 'aria-label': 'Plan' }, drawNode(plan.Plan, null, total, width - 28));
}

function drawNode(n, above, total, width) {
  const start = Number(n['Actual Startup Time'] ?? 0), end = Number(n['Actual Total Time'] ?? 0);
  const count = (label, v, write = num) => v === undefined ? '' : h('span', {}, h('b', {}, write(v)), ' ' + label);
  const misjudged = n['Plan Rows'] !== undefined && n['Plan Rows'] !== n['Actual Rows'] ? ` of ${num(n['Plan Rows'])} expected` : '';
  const attrs = Object.keys(n).filter(k => !own.has(k) && !k.endsWith(' Note')).map(k =>
    h('span', { class: expressions.has(k) ? 'mono' : undefined }, h('i', {}, k.replace(/^Actual /, '').toLowerCase() + ' '), String(n[k]), n[k + ' Note'] ? ` (${n[k + ' Note']})` : ''));
  const inner = n['Plans'] ?? [];
  const room = width - 25;
  return h('li', {},
    h('div', { class: 'node' },
      h('div', { class: 'name' }, n['Node Type'], n['Relation Name'] ? h('span', {}, ' on ' + n['Relation Name'] + (n.Alias && n.Alias !== n['Relation Name'] ? ' ' + n.Alias : '')) : '',
        n['Index Name'] ? h('span', {}, ' by ' + n['Index Name']) : ''),
      h('div', { class: 'counts' }, count('rows' + misjudged, n['Actual Rows']), count('read', n['Actual Rows Read']), count('calls', n['Actual Storage Calls']),
        n['Actual Bytes'] === undefined ? '' : h('span', {}, h('b', {}, bytes(n['Actual Bytes']))), end ? h('span', {}, h('b', {}, ms(end))) : ''),
      attrs.length ? h('div', { class: 'attrs' }, attrs) : '',
      end ? h('div', { class: 'time', vars: { a: Math.min(0.99, start / total), v: Math.max(0, Math.min(1, end / total) - Math.min(0.99, start / total)) }, role: 'img', 'aria-label': `from ${ms(start)} to ${ms(end)}` }, h('i')) : ''),
    n['Per Bucket'] ? lanes(n, above, Math.min(room, 860)) : '',
    inner.length ? h('ul', {}, inner.map(i => drawNode(i, n, total, room))) : '');
}

// lanes draws what each bucket gave, and how the buckets become one: a lane is as wide as the rows
// that were read of it.
function lanes(n, above, width) {
  const list = n['Per Bucket'], few = list.length <= 20;
  const step = few ? 21 : list.length <= 64 ? 9 : 4, height = list.length * step + 6, mid = height / 2;
  const narrow = width < 480, left = few ? (narrow ? 28 : 62) : 8, numbers = few ? (narrow ? 82 : 190) : 0, x0 = left + numbers, out = narrow ? 84 : 170, x1 = width - out;
  const most = Math.max(1, ...list.map(b => Number(b['Rows Read'] ?? b.Rows ?? 0)));
  const thick = v => Math.max(1, Math.min(step - 5, 7) * v / most);
  const y = i => 3 + step * (i + 0.5);
  const parts = list.map((b, i) => {
    const read = Number(b['Rows Read'] ?? b.Rows ?? 0), calls = b['Storage Calls'] ?? b['Shared Storage Calls'];
    const from = x0 + 4, bend = from + Math.max(20, (x1 - from) * 0.35);
    const d = `M${from} ${y(i)} H${bend} C${(bend + x1) / 2} ${y(i)} ${(bend + x1) / 2} ${mid} ${x1} ${mid}`;
    return [
      h('path', { d, class: read ? undefined : 'none', 'stroke-width': read ? thick(read) : 1, 'stroke-opacity': read ? 0.35 + 0.5 * read / most : 1 },
        h('title', {}, `bucket ${b.Bucket}: ${num(b.Rows)} rows of ${num(read)} read, ${bytes(b.Bytes ?? 0)}`)),
      few ? h('text', { x: 0, y: y(i) + 4 }, narrow ? String(b.Bucket) : 'bucket ' + b.Bucket) : '',
      few ? h('text', { x: left, y: y(i) + 4 }, narrow ? num(read) + ' rows' : `${num(read)} rows · ${calls ?? 0} ${b['Shared Storage Calls'] ? 'shared ' : ''}call${Number(calls) === 1 ? '' : 's'} · ${bytes(b.Bytes ?? 0)}`) : '',
    ];
  });
  const merges = above && /^Salt (Merge|Gather)$/.test(above['Node Type']);
  const how = !merges || String(above['Buckets Note'] ?? '').includes('one after another') ? 'one after another' : above['Node Type'] === 'Salt Merge' ? 'merged in key order' : 'as they come';
  const rows = list.reduce((s, b) => s + Number(b.Rows ?? 0), 0);
  return h('div', { class: 'lanes' },
    h('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${list.length} buckets, ${how}: ${num(rows)} rows` },
      parts, h('path', { d: `M${x1} ${mid} H${x1 + 22}`, 'stroke-width': Math.min(8, step - 2) }), h('circle', { cx: x1, cy: mid, r: few ? 5 : 6 }),
      h('text', { x: x1 + 30, y: mid - 2, class: 'strong' }, `${num(n['Actual Rows'] ?? rows)} row${n['Actual Rows'] === 1 ? '' : 's'}`),
      narrow ? '' : h('text', { x: x1 + 30, y: mid + 13 }, how)),
    h('details', { 'data-k': 'lanes' }, h('summary', {}, 'Buckets as a table'), table('Buckets', [
      { key: 'Bucket', label: 'bucket', kind: 'num' }, { key: 'Rows', label: 'rows', kind: 'num' }, { key: 'Rows Read', label: 'rows read', kind: 'num' },
      { key: 'Storage Calls', label: 'calls', kind: 'num' }, { key: 'Bytes', label: 'bytes', kind: 'bytes' }, { key: 'Time Ms', label: 'time', kind: 'ms' },
    ], list)));
}
