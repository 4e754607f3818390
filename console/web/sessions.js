// Who is connected, and what they do.
import { ask, num, seconds } from '/web/data.js';
import { h, head, panel, table } from '/web/ui.js';

export const title = 'Sessions';
export const every = 3000;

const sort = {};

export async function load() {
  const all = await ask('sessions');
  const active = all.rows.filter(r => r.state === 'active').length;
  return again => [head('Sessions', `${num(all.rows.length)} open, ${num(active)} active`), panel('All sessions', all, rows => table('All sessions', [
    { key: 'pid', label: 'pid', kind: 'num' },
    { key: 'state', label: 'state', show: (v, r) => h('span', { class: 'dot ' + (r.waits_for === 'Lock' ? 'waits' : v === 'active' ? 'active' : '') }, v ?? 'not shown') },
    { key: 'seconds', label: 'since', kind: 'seconds' },
    { key: 'user', label: 'role' },
    { key: 'application', label: 'application', wide: true },
    { key: 'client', label: 'client', wide: true },
    { key: 'event', label: 'waits for', wide: true, show: (v, r) => v === null || r.waits_for === 'Client' ? '' : `${r.waits_for}: ${v}` },
    { key: 'transaction_seconds', label: 'transaction', kind: 'seconds', wide: true },
    { key: 'query', label: 'statement', kind: 'code', show: v => (v ?? '').replace(/\s+/g, ' ') },
  ], rows, { sort, again }))];
}
