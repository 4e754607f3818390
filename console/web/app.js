// The way from the address to a page. The address holds what is seen: #/tables/16385.
import { ask } from '/web/data.js';
import { h, failed } from '/web/ui.js';
import * as overview from '/web/overview.js';
import * as tables from '/web/tables.js';
import * as heat from '/web/heat.js';
import * as queries from '/web/queries.js';
import * as sessions from '/web/sessions.js';
import * as jobs from '/web/jobs.js';
import * as sql from '/web/sql.js';

const pages = { '': overview, tables, heat, queries, sessions, jobs, sql };
const nav = document.getElementById('nav'), main = document.getElementById('main');
let turn = 0, timer;

for (const [name, p] of Object.entries(pages)) nav.append(h('a', { href: '#/' + name, id: 'nav-' + (name || 'overview') }, p.title));

// go shows the page of the address. A page has title, and load(rest, query), which gives a function
// that draws; every is after how many milliseconds it loads again, while it is seen.
async function go(first) {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const [name, ...rest] = path.split('/').map(decodeURIComponent);
  const page = pages[name] ?? overview, mine = ++turn;
  clearTimeout(timer);
  for (const a of nav.children) a.toggleAttribute('aria-current', a.getAttribute('href') === '#/' + name);
  for (const a of nav.children) if (a.hasAttribute('aria-current')) { a.setAttribute('aria-current', 'page'); nav.scrollLeft = a.offsetLeft - nav.offsetLeft - nav.clientWidth / 2; }
  document.title = page.title + ' · saltsql';
  let draw;
  try {
    draw = await page.load(rest, new URLSearchParams(search));
  } catch (e) {
    draw = () => [failed({ code: '', message: String(e) })];
  }
  if (mine !== turn) return;
  const again = () => {
    let elements;
    try { elements = draw(again); } catch (e) { elements = [failed({ code: '', message: String(e) })]; }
    show(elements, first);
    page.shown?.(main);
    first = false;
  };
  again();
  main.dataset.page = name || 'overview';
  if (page.every && !document.hidden) timer = setTimeout(() => go(false), page.every);
}

// show puts new elements in the place of the old ones. Those of the same page, which is not the
// first time, keep what has the focus and how far it is scrolled.
function show(elements, first) {
  if (first) { main.replaceChildren(...elements); scrollTo(0, 0); return; }
  const focus = document.activeElement?.dataset?.k;
  const scrolled = new Map([...main.querySelectorAll('.scroll')].map(e => [e.dataset.k, [e.scrollLeft, e.scrollTop]]));
  const open = new Set([...main.querySelectorAll('details[open]')].map(e => e.dataset.k));
  main.replaceChildren(...elements);
  for (const e of main.querySelectorAll('.scroll')) [e.scrollLeft, e.scrollTop] = scrolled.get(e.dataset.k) ?? [0, 0];
  for (const e of main.querySelectorAll('details')) e.open = open.has(e.dataset.k);
  if (focus) [...main.querySelectorAll('[data-k]')].find(e => e.dataset.k === focus)?.focus({ preventScroll: true });
}

addEventListener('hashchange', () => {
  if (!location.hash.startsWith('#/')) return; // the link to skip to the page
  document.getElementById('sql').close();
  go(true);
});
document.addEventListener('visibilitychange', () => { if (document.hidden) clearTimeout(timer); else if (main.dataset.page !== 'sql') go(false); });
document.getElementById('sql-close').addEventListener('click', () => document.getElementById('sql').close());
document.querySelector('.skip').addEventListener('click', e => { e.preventDefault(); main.focus(); });

ask('now').then(a => { document.getElementById('who').textContent = a.rows[0]?.user ?? ''; });
go(true);
