// A page for a statement, its rows and its plan. What the address has is filled in and never run:
// a link of somebody else must not run anything.
import { run, num, ms } from '/web/data.js';
import { h, head, panel, table, failed } from '/web/ui.js';
import { drawPlan } from '/web/plan.js';

export const title = 'SQL';

const state = { text: 'SELECT table_name, salt_buckets, estimated_rows FROM saltsql.tables ORDER BY table_name' };

export async function load(rest, query) {
  if (query.has('q') && query.get('q') !== state.text) Object.assign(state, { text: query.get('q'), rows: null, plan: null, position: 0 });
  return again => {
    const area = h('textarea', { 'aria-label': 'Statement', spellcheck: 'false', autocapitalize: 'none', 'data-k': 'statement', rows: Math.min(18, Math.max(6, state.text.split('\n').length + 1)),
      oninput: e => { state.text = e.target.value; },
      onkeydown: e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); start(again); } } });
    area.value = state.text;
    return [
      head('SQL', 'one statement that reads, in a read-only transaction of ten seconds at most'),
      h('section', { class: 'panel', 'aria-label': 'Editor' }, h('div', { class: 'editor' }, area),
        h('div', { class: 'row' }, h('button', { 'data-k': 'run', disabled: state.running, onclick: () => start(again) }, state.running ? 'Running…' : 'Run'),
          h('span', { class: 'note' }, 'Ctrl Enter. A statement with a plan runs twice: once for its rows, once counted.'))),
      state.plan ? drawn(state.plan) : '',
      state.rows ? rows(state.rows) : '',
    ];
  };
}

export function shown(main) {
  if (!state.rows && !state.running) main.querySelector('textarea')?.focus();
}

async function start(again) {
  if (state.running || !state.text.trim()) return;
  Object.assign(state, { running: true, rows: null, plan: null });
  again();
  const text = state.text;
  history.replaceState(null, '', '#/sql?q=' + encodeURIComponent(text.slice(0, 4000)));
  state.rows = await run(text, false);
  again();
  if (!state.rows.error && state.rows.columns[0]?.name !== 'QUERY PLAN') {
    const plan = await run(text, true);
    if (!plan.error) state.plan = JSON.parse(plan.cells.map(r => r[0]).join('\n'))[0];
  }
  state.running = false;
  again();
}

function drawn(plan) {
  const width = document.getElementById('main').clientWidth - 48;
  return h('section', { class: 'panel', 'aria-labelledby': 'plan-title' },
    h('header', {}, h('h2', { id: 'plan-title' }, 'Plan'), h('span', { class: 'note' }, `planned in ${ms(plan['Planning Time'])}, run in ${ms(plan['Execution Time'])}`)), drawPlan(plan, width));
}

function rows(a) {
  if (a.error) return h('section', { class: 'panel', 'aria-label': 'Error' }, failed(a.error), a.error.position ? where(a.error.position) : '');
  const numbers = /^(smallint|integer|bigint|numeric|real|double precision|oid)/;
  const columns = a.columns.map((c, i) => ({ key: i, label: c.name, kind: numbers.test(c.type) ? 'num' : 'text', show: v => v === null ? h('span', { class: 'null' }, 'null') : v.length > 300 ? h('span', { title: v }, v.slice(0, 300) + '…') : v }));
  const n = a.cells.length;
  return h('section', { class: 'panel', 'aria-labelledby': 'rows-title' },
    h('header', {}, h('h2', { id: 'rows-title' }, 'Rows'), h('span', { class: 'note' }, `${a.more ? 'the first ' : ''}${num(n)} row${n === 1 ? '' : 's'}${a.more ? ', and more' : ''}${a.cut ? ', long values cut' : ''}, ${ms(a.ms)}`)),
    (a.notices ?? []).map(x => h('p', { class: 'empty' }, `${x.severity}: ${x.message}`)),
    table('Rows', columns, a.cells, { tall: true }));
}

// where shows the line of the statement that an error is about, as psql does.
function where(position) {
  const chars = [...state.text], before = chars.slice(0, position - 1).join(''), line = before.split('\n').length, column = [...before.split('\n').at(-1)].length;
  return h('pre', { 'aria-label': 'Where' }, `LINE ${line}: ${state.text.split('\n')[line - 1]}\n${' '.repeat(`LINE ${line}: `.length + column)}^`);
}
