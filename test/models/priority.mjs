// C4. Priority table: every state × every event has one ruled outcome.   run: node priority.mjs
// (--markdown prints the table.) TABLE is the complete table of the reservations; decide() is pure and can be moved
// into the code as it is. Checked: every cell is an outcome, every move is a declared transition, no way back from an
// end, money always has an end, no session left open.
// overdue = a stored `hold` past its deadline, not yet swept
export const STATES = ['hold', 'overdue', 'expiring', 'payment_pending', 'confirmed', 'served', 'expired', 'cancelled'];
// Stored transitions. The last one only under lateMoney 'reinstate-if-free', through the unique index, and only if
// nothing was refunded.
export const MOVES = [
  'hold>expiring',
  'hold>payment_pending',
  'hold>confirmed',
  'hold>expired',
  'hold>cancelled',
  'expiring>expired',
  'expiring>payment_pending',
  'expiring>confirmed',
  'expiring>cancelled',
  'payment_pending>confirmed',
  'payment_pending>expired',
  'payment_pending>cancelled',
  'confirmed>served',
  'confirmed>cancelled',
  'expired>confirmed',
];
// outcome: next state (or '=' stays) [+ effects]; '!' = cannot happen: journal as `unruled`, alert, change nothing
export const TABLE = {
  'paid (charged in time)': 'confirmed | confirmed | confirmed | confirmed | = | = | lateMoney | = +refund',
  'paid (charged late)': '! | expired +refund | expired +refund | expired +refund | = | = | = +refund | = +refund',
  'completed, unpaid': 'payment_pending | payment_pending | payment_pending | = | = | = | = | =',
  'async payment failed': '= +mail | expired +mail | expired +mail | expired +mail | ! | ! | = | =',
  'session expired (event)': '= | expired | expired | ! | ! | ! | = | =',
  'hold deadline passes / sweep': 'expiring +close | expiring +close | = | = | = | = | = | =',
  'settle: session closed unpaid': '= | expired | expired | = | = | = | = | =',
  'settle: provider unreachable > cap': '= | = | expired +alert | = | = | = | = | =',
  'voucher deadline passes': '! | ! | ! | expired | = | = | = | =',
  'user cancels':
    'cancelled +close | cancelled +close | cancelled +close | cancelled +close | cancelled +refund | refuse | refuse | = ok',
  'admin cancels':
    // a goodwill refund after the show is an action of its own, audited
    'cancelled +close | cancelled +close | cancelled +close | cancelled +close | cancelled +refund | refuse | refuse | = ok',
  'refunded outside, net zero': '! | ! | ! | ! | cancelled +adopt | = +adopt | = +adopt | = +adopt',
  'refunded outside, in part': '! | ! | ! | ! | = +alert | = +alert | = +alert | = +alert',
  'dispute opened': '! | ! | ! | ! | = +freeze | = +freeze | = +freeze | = +freeze',
  'dispute closed': '! | ! | ! | ! | = +thaw | = +thaw | = +thaw | = +thaw',
  'second payment for it': Array(8).fill('= +refund 2nd').join(' | '),
  'amount or currency differs':
    '= +alert | = +alert | = +alert | = +alert | = +alert | = +alert | = +refund | = +refund',
  'render ready': '= | = | = | = | = | = | = | =',
  'render failed for good': '= | = | = | = | = +window | = | = | =',
  'window ends (same failure)': '! | ! | ! | ! | cancelled +refund | = | = | =',
  'slot begins, video ready': 'expiring +close | expiring +close | = | expired | served | = | = | =',
  'slot begins, no video': 'expiring +close | expiring +close | = | expired | cancelled +refund | = | = | =',
  'refund fails for good': '! | ! | ! | ! | ! | = +manual | = +manual | = +manual',
  'hold again, same key': '= replay | = replay | = replay | = replay | = replay | = replay | = replay | = replay',
  'hold by another': 'taken | settling | settling | taken | taken | taken | free | free',
};
const cells = Object.fromEntries(Object.entries(TABLE).map(([e, r]) => [e, r.split('|').map((c) => c.trim())]));
export const decide = (state, event) => cells[event][STATES.indexOf(state)];

// lateMoney: a row expired by the cap (provider unreachable) whose money was charged in time: refund (default) |
// reinstate-if-free, else refund
let pairs = 0,
  wrong = [];
const used = new Set(['expired>confirmed']);
for (const [e, row] of Object.entries(cells)) {
  if (row.length !== STATES.length) wrong.push(`${e}: ${row.length} cells`);
  STATES.forEach((s, i) => {
    pairs++;
    const [to] = row[i].split(' ');
    if (!['=', '!', 'lateMoney', 'refuse', 'taken', 'free', 'settling', ...STATES].includes(to))
      wrong.push(`${s} × ${e}: ${row[i]}`);
    const from = s === 'overdue' ? 'hold' : s;
    if (STATES.includes(to) && to !== from) {
      used.add(`${from}>${to}`);
      if (!MOVES.includes(`${from}>${to}`)) wrong.push(`undeclared move ${from} → ${to}: ${e}`);
    }
    if (['served', 'expired', 'cancelled'].includes(s) && STATES.includes(to) && to !== s)
      wrong.push(`backwards: ${s} × ${e} → ${to}`);
    if (e.startsWith('paid') && !/confirmed|refund|lateMoney|=|!/.test(row[i]))
      wrong.push(`money without an end: ${s} × ${e}`);
    if (e.startsWith('paid') && ['expired', 'cancelled'].includes(s) && !/refund|lateMoney/.test(row[i]))
      wrong.push(`money without an end: ${s} × ${e}`);
    if (s === 'confirmed' && STATES.includes(to) && to === 'cancelled' && !/refund|adopt/.test(row[i]))
      wrong.push(`paid and cancelled without refund: ${e}`);
    if (['hold', 'overdue', 'expiring'].includes(s) && to === 'cancelled' && !/close/.test(row[i]))
      wrong.push(`session left open: ${s} × ${e}`);
  });
}
// video: state × event
const VIDEO = {
  states: ['pending', 'processing', 'ready', 'failed'],
  table: {
    'start (attempt n)': 'processing | = | = | processing',
    'done, attempt n': '! | ready | = | ready',
    'done, older attempt': '! | ready | = | ready',
    'failed, attempt n, tries left': '! | processing (n+1) | = | =',
    'failed, attempt n, no tries left': '! | failed +window | = | =',
    'failed, older attempt': '! | = | = | =',
    'person restarts': 'processing | = | refuse | processing',
    'reservation cancelled': 'cancel render | cancel render | = | =',
  },
};
for (const [e, r] of Object.entries(VIDEO.table)) {
  pairs += 4;
  if (r.split('|').length !== 4) wrong.push(`video ${e}`);
}
if (process.argv.includes('--markdown')) {
  console.log(`| event | ${STATES.join(' | ')} |\n|---|${STATES.map(() => '---').join('|')}|`);
  for (const [e, row] of Object.entries(cells)) console.log(`| ${e} | ${row.join(' | ')} |`);
}
for (const m of MOVES) if (!used.has(m)) wrong.push(`declared, but no cell does it: ${m}`);
console.log(
  `\n== C4  priority table: ${Object.keys(cells).length} events × ${STATES.length} states, ` +
    `with video ${pairs} pairs; ${MOVES.length} moves; ${wrong.length} wrong`,
);
for (const w of wrong) console.log(`! ${w}`);
if (wrong.length) process.exitCode = 1;
