// Questions to the server, and how their answers are written.

// answered gives a JSON answer with its rows as objects. A login that has ended goes to the form.
async function answered(reply) {
  if (reply.status === 401) { location.href = '/login'; return new Promise(() => {}); }
  if (!reply.ok) return { columns: [], rows: [], error: { code: String(reply.status), message: await reply.text() } };
  const a = await reply.json();
  a.cells = a.rows;
  a.rows = a.rows.map(r => Object.fromEntries(a.columns.map((c, i) => [c.name, r[i]])));
  return a;
}

async function fetched(...request) {
  try {
    return await answered(await fetch(...request));
  } catch (e) {
    return { columns: [], rows: [], error: { code: '', message: 'The server does not answer.' } };
  }
}

// ask runs a panel: a file of sql/, with the values of its parameters.
export async function ask(panel, ...params) {
  const q = params.map(p => 'p=' + encodeURIComponent(p)).join('&');
  const a = await fetched('/q/' + panel + (q && '?' + q));
  return Object.assign(a, { panel, params });
}

// run runs a statement of the user, or its plan.
export const run = (statement, plan) => fetched('/q/sql', {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ statement, plan }),
});

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });

export function num(v) {
  if (v === null || v === undefined || v === '') return '–';
  const n = Number(v);
  if (Math.abs(n) >= 1e6) return short.format(n);
  if (Number.isInteger(n) || Math.abs(n) >= 100) return whole.format(n);
  return n.toPrecision(Math.abs(n) >= 1 ? 3 : 2).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

export function bytes(v) {
  if (v === null || v === undefined) return '–';
  let n = Number(v), i = 0;
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return (i && n < 100 ? n.toFixed(n < 10 ? 2 : 1) : whole.format(n)) + ' ' + units[i];
}

// ms writes milliseconds.
export function ms(v) {
  if (v === null || v === undefined) return '–';
  const n = Number(v);
  if (n >= 60000) return seconds(n / 1000);
  if (n >= 1000) return (n / 1000).toFixed(n < 10000 ? 2 : 1) + ' s';
  if (n >= 10) return whole.format(n) + ' ms';
  return (n >= 1 ? n.toFixed(1) : n.toFixed(3).replace(/0+$/, '').replace(/\.$/, '')) + ' ms';
}

export function seconds(v) {
  if (v === null || v === undefined) return '–';
  const s = Math.max(0, Number(v));
  if (s < 1) return ms(s * 1000);
  if (s < 60) return s.toFixed(s < 10 ? 1 : 0) + ' s';
  if (s < 3600) return Math.floor(s / 60) + ' min ' + Math.floor(s % 60) + ' s';
  if (s < 86400) return Math.floor(s / 3600) + ' h ' + Math.floor(s % 3600 / 60) + ' min';
  return Math.floor(s / 86400) + ' d ' + Math.floor(s % 86400 / 3600) + ' h';
}

export const percent = v => v === null || v === undefined ? '–' : (Number(v) * 100).toFixed(1) + ' %';
