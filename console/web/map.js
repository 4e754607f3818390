// The heat map: a column is a minute, a row a bucket, on one canvas. The more, the stronger: on a scale
// of logarithms, from the panel's colour to the accent.
import { num } from '/web/data.js';
import { h, table } from '/web/ui.js';

const most = 180; // minutes: what servers keep

const time = ms => new Date(ms).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
const parsed = at => Date.parse(at.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));

// cellsOf gives what each bucket got in each minute: {at, bucket, v}.
export const cellsOf = (rows, key) => rows.flatMap(r => {
  const values = r[key].split(',');
  return r.buckets.split(',').map((b, i) => ({ at: parsed(r.at), bucket: Number(b), v: Number(values[i]) })).filter(c => c.v > 0);
});

// heatmap gives the map of a kind of cells, and the hottest of them as a table.
export function heatmap(name, cells, buckets) {
  const end = Math.floor(Date.now() / 60000), width = Math.min(most, Math.max(30, end - Math.min(end, ...cells.map(c => Math.floor(c.at / 60000))) + 1));
  const top = Math.max(1, ...cells.map(c => c.v)), hot = [...cells].sort((a, b) => b.v - a.v).slice(0, 20);
  const first = hot[0];
  const canvas = h('canvas', { class: 'map', role: 'img', 'data-map': name, 'aria-label': first
    ? `${name} of ${buckets} buckets in ${width} minutes: the most, ${num(first.v)}, in bucket ${first.bucket} at ${time(first.at)}` : `${name}: none` });
  canvas.style.height = Math.max(48, Math.min(220, buckets * 14)) + 'px';
  canvas.paint = () => paint(canvas, cells, buckets, width, end, top);
  const told = h('span', {}, first ? 'the most ' : '', h('b', {}, first ? num(first.v) : ''), first ? ` in a minute, in bucket ${first.bucket} at ${time(first.at)}` : 'none in these minutes');
  const at = told.cloneNode(true);
  canvas.addEventListener('mousemove', e => {
    const box = canvas.getBoundingClientRect(), x = Math.floor((e.clientX - box.left) / box.width * width), y = Math.floor((e.clientY - box.top) / box.height * buckets);
    const minute = end - width + 1 + x, c = cells.find(c => c.bucket === y && Math.floor(c.at / 60000) === minute);
    at.replaceChildren(`bucket ${y} at ${time(minute * 60000)}: `, h('b', {}, num(c?.v ?? 0)));
  });
  canvas.addEventListener('mouseleave', () => at.replaceChildren(...told.cloneNode(true).childNodes));
  return [h('div', { class: 'chart' }, h('div', { class: 'legend' }, h('b', {}, name), at), canvas,
    h('div', { class: 'axis' }, h('span', {}, time((end - width + 1) * 60000)), h('span', {}, 'now'))),
  hot.length ? h('details', { 'data-k': 'hot-' + name }, h('summary', {}, `The hottest cells of ${name.toLowerCase()}`), table(`Hottest cells of ${name}`, [
    { key: 'at', label: 'minute', show: time }, { key: 'bucket', label: 'bucket', kind: 'num' }, { key: 'v', label: name.toLowerCase(), kind: 'num' },
  ], hot)) : ''];
}

function paint(canvas, cells, buckets, width, end, top) {
  const css = getComputedStyle(canvas), [r, g, b] = css.color.match(/\d+/g).map(Number);
  const small = new OffscreenCanvas(width, buckets), s = small.getContext('2d'), image = s.createImageData(width, buckets);
  for (const c of cells) {
    const x = Math.floor(c.at / 60000) - (end - width + 1);
    if (x < 0 || x >= width || c.bucket >= buckets) continue;
    const i = 4 * (c.bucket * width + x);
    image.data.set([r, g, b, 40 + 215 * Math.log1p(c.v) / Math.log1p(top)], i);
  }
  s.putImageData(image, 0, 0);
  const dpr = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * dpr;
  canvas.height = canvas.clientHeight * dpr;
  const d = canvas.getContext('2d');
  d.imageSmoothingEnabled = false;
  d.drawImage(small, 0, 0, canvas.width, canvas.height);
}
