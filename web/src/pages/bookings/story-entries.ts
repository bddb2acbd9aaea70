/** Everything that was written down about a reservation as one list, oldest first: a story reads forward. */
import type { TFunction } from 'i18next';
import type { StoryReply } from '../../../../src/server/index.ts';

export interface StoryEntry {
  readonly key: string;
  readonly atMs: number;
  /** Colour of the pin. */
  readonly state: string;
  /** A move from one state to another. */
  readonly from?: string;
  readonly to?: string;
  readonly title?: string;
  readonly chip?: string;
  readonly text?: string;
  readonly meta: readonly (readonly [name: string, value: string])[];
}

export interface StoryFormats {
  readonly time: (ms: number) => string;
  readonly money: (amount: number) => string;
  /** “2.0 s”, “15 min”. */
  readonly span: (ms: number) => string;
}

type Story = StoryReply['story'];

export function storyEntries(
  story: Story,
  t: TFunction<'bookings'>,
  { time, money, span }: StoryFormats,
): readonly StoryEntry[] {
  const { reservation: r } = story;
  const deadline = r.holdExpiresAtMs;
  const entries: readonly StoryEntry[] = [
    {
      key: 'hold',
      atMs: r.createdAtMs,
      state: 'hold',
      to: 'hold',
      text: t('story.held', { span: span(deadline - r.createdAtMs), time: time(deadline) }),
      meta: [[t('story.by'), t('story.whoCustomer')]],
    },
    ...story.payments.flatMap((p): readonly StoryEntry[] => [
      {
        key: `asked-${p.id}`,
        atMs: p.askedAtMs,
        state: 'info',
        title: t('story.checkout'),
        text: t('story.checkoutText'),
        meta: p.sessionId === null ? [] : [[t('story.session'), shorten(p.sessionId)]],
      },
      ...(p.chargedAtMs === null
        ? []
        : [
            {
              key: `charged-${p.id}`,
              atMs: Math.max(p.chargedAtMs, p.askedAtMs),
              state: p.chargedAtMs > deadline ? 'warn' : 'ok',
              title:
                p.chargedAtMs > deadline
                  ? t('story.chargedLate', {
                      amount: money(p.paidAmount ?? p.amount),
                      late: span(p.chargedAtMs - deadline),
                    })
                  : t('story.charged', { amount: money(p.paidAmount ?? p.amount) }),
              meta: p.paymentIntentId === null ? [] : [[t('story.payment'), shorten(p.paymentIntentId)] as const],
            },
          ]),
    ]),
    ...story.journal
      .filter(({ from, to }) => from !== null || to !== null)
      .map(
        (j): StoryEntry => ({
          key: `journal-${j.id}`,
          atMs: j.atMs,
          state: j.to === 'confirmed' || j.to === 'served' ? 'confirmed' : (j.to ?? 'pending'),
          ...(j.from !== null && { from: j.from }),
          ...(j.to !== null && { to: j.to }),
          text: t('story.rule', { event: j.event }),
          meta: [[t('story.by'), j.actor]],
        }),
      ),
    ...story.refunds.flatMap((f): readonly StoryEntry[] => [
      {
        key: `refund-${f.id}`,
        atMs: f.requestedAtMs,
        state: f.state === 'manual' ? 'manual' : 'refunded',
        title: f.state === 'manual' ? t('story.refundParked') : t('story.refundWanted'),
        text: t('story.refundWantedText', { amount: money(f.amount), cause: t(`story.cause.${f.cause}`) }),
        meta: f.reason === null ? [] : [[t('story.refund'), f.reason]],
      },
      ...(f.state === 'succeeded' && f.finishedAtMs !== null
        ? [
            {
              key: `refunded-${f.id}`,
              atMs: f.finishedAtMs,
              state: 'refunded',
              to: 'refunded',
              text: t('story.refundDone', { amount: money(f.amount) }),
              meta: [
                [t('story.refund'), shorten(f.providerRefundId ?? '')],
                [t('story.generation'), String(f.generation)],
              ] as const,
            },
          ]
        : []),
    ]),
    ...story.mails.map(
      (m): StoryEntry => ({
        key: `mail-${m.id}`,
        atMs: m.finishedAtMs ?? m.createdAtMs,
        state: m.state === 'sent' ? 'ok' : m.state === 'refused' ? 'failed' : 'pending',
        title: t(`story.mail_${m.state}`),
        chip: m.template,
        ...(m.note !== null && { text: m.note }),
        meta: [
          [t('story.to'), r.email],
          [t('story.language'), r.locale],
        ],
      }),
    ),
    ...story.events.map(
      (e): StoryEntry => ({
        key: `event-${e.id}`,
        atMs: e.receivedAtMs,
        state: 'pending',
        title: t('story.webhook'),
        chip: e.type,
        ...(e.note !== null && { text: e.note }),
        meta: [[t('story.event'), shorten(e.id)]],
      }),
    ),
    ...story.renders.map(
      (a): StoryEntry => ({
        key: `render-${a.attempt}`,
        atMs: a.finishedAtMs ?? a.startedAtMs,
        state: a.state === 'failed' ? 'failed' : a.state === 'done' ? 'ok' : 'running',
        title: t(`story.render_${a.state as 'asked' | 'done' | 'failed' | 'working'}`, { n: a.attempt }),
        ...(a.error !== null && { text: a.error }),
        meta: [],
      }),
    ),
    ...story.races.map(
      (c): StoryEntry => ({
        key: `race-${c.id}`,
        atMs: c.atMs,
        state: 'warn',
        title: t('story.race', { scenario: t(`races.scenario.${c.scenario}`) }),
        text: t('story.raceText', { resolution: t(`races.result.${c.resolution}`) }),
        meta: [],
      }),
    ),
  ];
  return entries.toSorted((a, b) => a.atMs - b.atMs);
}

/** “cs_test_…9Qe”: enough to recognise it. */
function shorten(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, id.lastIndexOf('_') + 1)}…${id.slice(-4)}`;
}
