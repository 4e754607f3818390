// What pages are made of: elements, panels, tables, charts.
import { num, bytes, ms, seconds } from '/web/data.js';

// h makes an element. Properties that begin with "on" are listeners, "vars" are CSS variables.
export function h(tag, props, ...children) {
  const svg = ['svg', 'path', 'rect', 'line', 'circle', 'text', 'g', 'title'].includes(tag);
  const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [k, v] of Object.entries(props ?? {})) {
    if (v === undefined || v === null || v === false) continue;
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (k === 'vars') for (const [name, x] of Object.entries(v)) e.style.setProperty('--' + name, x);
    else e.setAttribute(k, v === true ? '' : v);
  }
  e.append(...children.flat(Infinity).filter(c => c !== undefined && c !== null && c !== false));
  return e;
}

export const head = (title, note, ...more) => h('div', { class: 'head' }, h('h1', {}, title), h('p', { class: 'note' }, note ?? ''), more);

// failed tells an error as psql does.
export const failed = e => h('div', { class: 'failed', role: 'alert' },
  h('div', {}, e.message, ' ', e.code ? h('code', {}, e.code) : ''),
  e.detail ? h('div', { class: 'note' }, e.detail) : '', e.hint ? h('div', { class: 'note' }, e.hint) : '');

let count = 0;

// panel shows an answer under a title, with its SQL behind a button; draw makes its inside of the
// rows, empty is said where there are none.
export function panel(title, answer, draw, { note, empty } = {}) {
  const id = 'p' + (++count);
  const inside = answer.error ? failed(answer.error)
    : empty && !answer.rows.length ? h('p', { class: 'empty' }, empty) : draw(answer.rows, answer);
  const more = answer.more ? ' The first ' + num(answer.rows.length) + ' rows.' : '';
  return h('section', { class: 'panel', 'aria-labelledby': id },
    h('header', {}, h('h2', { id }, title), h('span', { class: 'note' }, (note ?? '') + more),
      answer.sql ? h('button', { class: 'quiet tiny', 'data-k': 'sql-' + answer.panel, 'aria-label': 'SQL of ' + title, onclick: () => showSQL(title, answer) }, 'SQL') : ''),
    inside);
}

const literal = v => "'" + String(v).replaceAll("'", "''") + "'";

function showSQL(title, a) {
  const text = a.params.reduce((t, p, i) => t.replaceAll('$' + (i + 1), literal(p)), a.sql);
  const d = document.getElementById('sql');
  document.getElementById('sql-title').textContent = title;
  document.getElementById('sql-note').textContent = 'psql gives the same rows by this statement. It took ' + ms(a.ms) + '.';
  document.getElementById('sql-text').textContent = text;
  document.getElementById('sql-open').setAttribute('href', sqlLink(text));
  d.showModal();
}

export const sqlLink = text => '#/sql?q=' + encodeURIComponent(text);

const kinds = {
  text: v => v, code: v => v, num, bytes, ms, seconds,
};
const isNumber = kind => ['num', 'bytes', 'ms', 'seconds'].includes(kind);

// table shows rows. A column has a key, a label, a kind of kinds, and may have show (its cell) and
// wide (left out on narrow screens). sort is an object that the page keeps: {key, down}.
export function table(name, columns, rows, { sort, again, tall } = {}) {
  if (sort?.key) {
    const c = columns.find(c => c.key === sort.key);
    const of = r => r[sort.key] === null ? null : isNumber(c.kind) ? Number(r[sort.key]) : String(r[sort.key]);
    rows = [...rows].sort((a, b) => {
      const x = of(a), y = of(b);
      if (x === null || y === null) return (x === null) - (y === null);
      return (x < y ? -1 : x > y ? 1 : 0) * (sort.down ? -1 : 1);
    });
  }
  const th = c => {
    const by = sort && sort.key === c.key;
    const press = () => { Object.assign(sort, { down: by ? !sort.down : isNumber(c.kind), key: c.key }); again(); };
    return h('th', { scope: 'col', class: cls(c), 'aria-sort': by ? (sort.down ? 'descending' : 'ascending') : undefined },
      sort ? h('button', { 'data-k': name + c.key, onclick: press }, c.label) : c.label);
  };
  const cls = c => [isNumber(c.kind) ? 'num' : c.kind === 'code' ? 'code' : '', c.wide ? 'wide' : ''].filter(Boolean).join(' ') || undefined;
  const td = (c, r) => {
    const v = r[c.key];
    const shown = c.show ? c.show(v, r) : v === null || v === undefined ? '–' : kinds[c.kind ?? 'text'](v);
    return h('td', { class: cls(c), title: c.kind === 'code' && v ? v : undefined }, shown);
  };
  return h('div', { class: 'scroll' + (tall ? ' tall' : ''), tabindex: 0, role: 'region', 'aria-label': name, 'data-k': 'scroll-' + name },
    h('table', {}, h('thead', {}, h('tr', {}, columns.map(th))), h('tbody', {}, rows.map(r => h('tr', {}, columns.map(c => td(c, r)))))));
}

export const share = v => h('span', { class: 'share', vars: { v: Math.min(1, v || 0) }, 'aria-hidden': 'true' }, h('i'));

// chart draws a column for each bucket, with a line at the mean. values are numbers, and write tells
// one. With counts, a column is marked that is above the mean by more than chance explains.
export function chart(name, labels, values, write, { second, counts } = {}) {
  const sum = values.reduce((a, b) => a + b, 0), mean = sum / (values.length || 1), most = Math.max(...values, 0);
  const over = 1.2 * (1 + Math.sqrt(2 * Math.log(Math.max(2, values.length)) / (mean || 1)));
  const gap = values.length > 64 ? 0.08 : 0.22, top = most || 1;
  const svg = h('svg', { viewBox: `0 0 ${values.length} 100`, preserveAspectRatio: 'none', role: 'img', class: second ? 'second' : undefined,
    'aria-label': `${name} of ${values.length} buckets: from ${write(Math.min(...values))} to ${write(most)}, mean ${write(mean)}` },
    values.map((v, i) => {
      const hot = counts && mean > 0 && v / mean > over;
      return h('rect', { x: i + gap / 2, y: 100 - v / top * 100, width: 1 - gap, height: Math.max(v / top * 100, v ? 1 : 0), class: hot ? 'over' : undefined },
        h('title', {}, `bucket ${labels[i]}: ${write(v)}`));
    }),
    h('line', { x1: 0, x2: values.length, y1: 100 - mean / top * 100, y2: 100 - mean / top * 100 }));
  return h('div', { class: 'chart' },
    h('div', { class: 'legend' }, h('span', {}, name, ' ', h('b', {}, write(sum))), h('span', {}, 'mean ', h('b', {}, write(mean))),
      h('span', {}, 'busiest ', h('b', {}, mean ? (most / mean).toFixed(2) + ' × mean' : '–'))),
    svg, h('div', { class: 'axis' }, h('span', {}, 'bucket ' + labels[0]), h('span', {}, labels.at(-1))));
}

// spark draws a line of numbers on a canvas, the newest at the right.
export function spark(canvas, values, most) {
  const w = canvas.clientWidth, hgt = canvas.clientHeight, dpr = devicePixelRatio || 1;
  canvas.width = w * dpr; canvas.height = hgt * dpr;
  const g = canvas.getContext('2d'), css = getComputedStyle(canvas);
  g.scale(dpr, dpr);
  const colour = css.getPropertyValue('--accent'), soft = css.getPropertyValue('--accent-soft');
  const top = Math.max(...values, 0) || 1, step = w / (most - 1), x = i => w - (values.length - 1 - i) * step, y = v => hgt - 2 - v / top * (hgt - 5);
  g.strokeStyle = css.getPropertyValue('--line');
  g.beginPath(); g.moveTo(0, hgt - 1.5); g.lineTo(w, hgt - 1.5); g.stroke();
  if (values.length < 2) return;
  g.beginPath(); values.forEach((v, i) => g.lineTo(x(i), y(v)));
  g.lineTo(w, hgt - 2); g.lineTo(x(0), hgt - 2); g.fillStyle = soft; g.fill();
  g.beginPath(); values.forEach((v, i) => g.lineTo(x(i), y(v)));
  g.strokeStyle = colour; g.lineWidth = 1.6; g.lineJoin = 'round'; g.stroke();
}
