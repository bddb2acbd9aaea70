import { describe, expect, it } from 'vitest';
import { checkSchedule } from './check-schedule.ts';
import type { Schedule } from './schedule.ts';

describe('checkSchedule', () => {
  it.each<Schedule>([
    { kind: 'cron', cron: '*/5 * * * *' },
    { kind: 'cron', cron: '30 9 * * MON-FRI', zone: 'Asia/Tokyo' },
    { kind: 'cron', cron: '0 0 29 2 *' },
    { kind: 'cron', cron: '@daily', zone: 'UTC' },
    { kind: 'daily', at: '23:59', zone: 'Australia/Lord_Howe' },
    { kind: 'every', minutes: 1 },
    { kind: 'every', minutes: 525_600, from: '2026-01-01T00:00:00+09:00' },
    { kind: 'once', at: '2026-12-01T09:00Z' },
  ])('takes %j', (schedule) => {
    expect(checkSchedule(schedule)).toEqual({ valid: true });
  });

  it.each<[Schedule, string, RegExp]>([
    [{ kind: 'cron', cron: '0 0 30 2 *' }, 'cron', /never fires/],
    [{ kind: 'cron', cron: '0 0 31 4,6,9,11 *' }, 'cron', /never fires/],
    [{ kind: 'cron', cron: '61 * * * *' }, 'cron', /cannot be read: Invalid value for minute/],
    [{ kind: 'cron', cron: 'every day' }, 'cron', /cannot be read/],
    [{ kind: 'cron', cron: '' }, 'cron', /cannot be read/],
    [{ kind: 'cron', cron: `${'1,'.repeat(300)}1 * * * *` }, 'cron', /characters/],
    [{ kind: 'cron', cron: '0 0 * * *', zone: 'Mars/Olympus' }, 'zone', /no time zone/],
    [{ kind: 'daily', at: '24:00' }, 'at', /HH:mm/],
    [{ kind: 'daily', at: '9:00' }, 'at', /HH:mm/],
    [{ kind: 'every', minutes: 0 }, 'minutes', /whole number/],
    [{ kind: 'every', minutes: 1.5 }, 'minutes', /whole number/],
    [{ kind: 'every', minutes: 5, from: 'today' }, 'from', /no instant/],
    [{ kind: 'once', at: '2026-02-30T00:00:00Z' }, 'at', /no instant/],
    [{ kind: 'once', at: '2026-02-03T00:00:00' }, 'at', /no instant/],
    [JSON.parse('{"kind":"weekly"}'), 'kind', /weekly/],
  ])('refuses %j', (schedule, field, problem) => {
    expect(checkSchedule(schedule)).toMatchObject({ valid: false, field, problem: expect.stringMatching(problem) });
  });
});
