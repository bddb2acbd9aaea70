import { expect, it } from 'vitest';
import { isZone, nextOffsetChange, zoneOffsetMs } from './zone-offset-ms.ts';

const at = (text: string): number => Date.parse(text);
const hourMs = 3_600_000;

it('knows what the wall clock of a zone shows, to the second', () => {
  expect(zoneOffsetMs('UTC', at('2026-07-01T00:00:00Z'))).toBe(0);
  expect(zoneOffsetMs('Asia/Tokyo', at('2026-07-01T00:00:00.999Z'))).toBe(9 * hourMs);
  expect(zoneOffsetMs('Australia/Lord_Howe', at('2026-07-01T00:00:00Z'))).toBe(10.5 * hourMs);
  const change = at('2026-03-08T07:00:00Z');
  expect(zoneOffsetMs('America/New_York', change - 1)).toBe(-5 * hourMs);
  expect(zoneOffsetMs('America/New_York', change)).toBe(-4 * hourMs);
});

it('finds the first change after an instant, to the second, and none where there is none', () => {
  const spring = at('2026-03-08T07:00:00Z');
  const found = { atMs: spring, beforeMs: -5 * hourMs, afterMs: -4 * hourMs };
  const from = at('2026-02-01T00:00:00Z');
  const zone = 'America/New_York';
  expect(nextOffsetChange(zone, from, at('2027-01-01T00:00:00Z'))).toEqual(found);
  expect(nextOffsetChange(zone, spring - 1, spring + 5)).toEqual(found);
  expect(nextOffsetChange(zone, from, spring)).toEqual(found);
  expect(nextOffsetChange(zone, from, spring - 1)).toBeUndefined();
  expect(nextOffsetChange(zone, spring, spring + 9_000)).toBeUndefined();
  expect(nextOffsetChange(zone, from, from)).toBeUndefined();
  expect(nextOffsetChange('Asia/Tokyo', from, from + 400 * 24 * hourMs)).toBeUndefined();
  expect(nextOffsetChange('UTC', from, from + 400 * 24 * hourMs)).toBeUndefined();
});

it('tells a zone from other words', () => {
  expect(['UTC', 'Europe/Berlin', 'Mars/Olympus', ''].map(isZone)).toEqual([true, true, false, false]);
});
