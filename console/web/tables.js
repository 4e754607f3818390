// Tables: their keys, their salt, their sizes; and one of them.
import { ask, num, bytes, percent } from '/web/data.js';
import { h, head, panel, table, chart, sqlLink } from '/web/ui.js';

export const title = 'Tables';

const sort = {};

export async function load([oid]) {
  if (oid) return one(oid);
  const all = await ask('tables');
  return again => [head('Tables', all.rows.length === 1 ? 'one table' : `${num(all.rows.length)} tables`), panel('All tables', all, rows => table('All tables', [
    { key: 'table_name', label: 'table', show: (v, r) => h('a', { href: '#/tables/' + r.table_oid, 'data-k': r.table_oid }, r.schema_name === 'public' ? '' : h('small', {}, r.schema_name + '.'), v) },
    { key: 'key', label: 'primary key' },
    { key: 'salt_buckets', label: 'buckets', kind: 'num', show: v => v === '0' ? h('span', { class: 'null' }, 'no salt') : num(v) },
    { key: 'salt_columns', label: 'salted by', wide: true },
    { key: 'indexes', label: 'indexes', kind: 'num', wide: true },
    { key: 'rows', label: 'rows, estimated', kind: 'num' },
    { key: 'bytes', label: 'size', kind: 'bytes' },
  ], rows, { sort, again }), { empty: 'There are no tables yet: CREATE TABLE … SALT_BUCKETS = 8 by psql.' })];
}

async function one(oid) {
  const [all, columns, buckets, definition] = await Promise.all([ask('tables'), ask('columns', oid), ask('buckets', oid), ask('definition', oid)]);
  const t = all.rows.find(r => r.table_oid === oid);
  const name = t ? (t.schema_name === 'public' ? '' : t.schema_name + '.') + t.table_name : 'Table ' + oid;
  const fact = (label, v) => h('div', {}, h('dt', {}, label), h('dd', {}, v));
  return () => [
    head(name, '', h('a', { class: 'button quiet', href: '#/heat/' + oid + '/' }, 'Heat'), ' ', h('a', { class: 'button quiet', href: sqlLink(`SELECT * FROM ${quoted(t)} LIMIT 100`) }, 'Rows')),
    t ? panel('In short', { ...all, rows: [t] }, () => h('dl', { class: 'facts' }, fact('rows, estimated', num(t.rows)), fact('size', bytes(t.bytes)),
      fact('buckets', t.salt_buckets === '0' ? 'no salt' : t.salt_buckets), t.salt_buckets === '0' ? '' : fact('salted by', t.salt_columns), fact('key', t.key), fact('indexes', t.indexes))) : '',
    buckets.rows.length || buckets.error ? panel('Size of each bucket', buckets, rows => [chart('Bytes', rows.map(r => r.bucket), rows.map(r => Number(r.bytes)), bytes),
      h('details', { 'data-k': 'as-table' }, h('summary', {}, 'As a table'), table('Size of each bucket', [{ key: 'bucket', label: 'bucket', kind: 'num' }, { key: 'bytes', label: 'size', kind: 'bytes' }, { key: 'share', label: 'share', kind: 'num', show: percent }], rows))]) : '',
    h('div', { class: 'two' },
      panel('Columns', columns, rows => table('Columns', [
        { key: 'column_name', label: 'column', show: (v, r) => r.key_position === null ? v : h('b', {}, v) },
        { key: 'data_type', label: 'type' },
        { key: 'key_position', label: 'key', show: (v, r) => v === null ? '' : v + (r.descending === 't' ? ' DESC' : '') },
        { key: 'not_null', label: 'null', show: v => v === 't' ? 'no' : 'yes' },
        { key: 'column_family', label: 'family', wide: true }, { key: 'column_default', label: 'default', kind: 'code', wide: true },
      ], rows)),
      panel('Definition', definition, rows => h('pre', { tabindex: 0, 'aria-label': 'Definition' }, rows.map(r => r.definition + ';').join('\n\n')), { empty: 'Only who owns a table sees its definition.' })),
  ];
}

const ident = s => '"' + s.replaceAll('"', '""') + '"';
const quoted = t => t ? ident(t.schema_name) + '.' + ident(t.table_name) : '…';
