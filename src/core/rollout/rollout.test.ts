import { describe, expect, it } from 'vitest';
import { phases } from './phase.ts';
import { checkRolloutSettings, defaultRolloutSettings, isOn, resolvePhase } from './rollout.ts';
import { stableBucket } from './stable-bucket.ts';

const clients = Array.from({ length: 20_000 }, (_, i) => `client-${i}`);

describe('rollout', () => {
  it('gives each phase its share of the clients, and never takes one away in a later phase', () => {
    let before = new Set<string>();
    for (const phase of phases) {
      const on = new Set(clients.filter((id) => isOn(defaultRolloutSettings, phase, id)));
      expect(on.size / clients.length).toBeCloseTo(defaultRolloutSettings.shares[phase], 1.7);
      for (const id of before) expect(on.has(id)).toBe(true);
      before = on;
    }
    expect(before.size).toBe(clients.length);
  });

  it('asks environment, local override, server, default, in this order, and passes over what is no phase', () => {
    const all = { environment: 'A-1', local: 'A-2', server: 'B-0', fallback: 'B-1' } as const;
    expect(resolvePhase(all)).toBe('A-1');
    expect(resolvePhase({ ...all, environment: 'C-9' })).toBe('A-2');
    expect(resolvePhase({ ...all, environment: '', local: undefined })).toBe('B-0');
    expect(resolvePhase({ fallback: 'B-1', server: 'constructor' })).toBe('B-1');
    expect(resolvePhase({})).toBe('A-0');
  });

  it('names what is wrong with settings', () => {
    expect(checkRolloutSettings(defaultRolloutSettings)).toEqual([]);
    const { shares, thresholds } = defaultRolloutSettings;
    expect(
      checkRolloutSettings({
        shares: { ...shares, 'A-1': 0.5, 'B-0': Number.NaN },
        thresholds: { ...thresholds, 'B-1': 5 },
        minSessions: 0,
        windowMs: 1,
        rollback: 'auto',
      }),
    ).toEqual([
      'shares["A-2"] must not be less than shares["A-1"].',
      'shares["B-0"] must be between 0 and 1.',
      'thresholds["B-1"] must be between 0 and 1.',
      'minSessions must be a whole number from 1.',
      'windowMs must be between 60000 and 86400000.',
    ]);
  });

  it('accepts the bounds themselves, and nothing beyond them', () => {
    const shares = { 'A-0': 0, 'A-1': 0.5, 'A-2': 0.5, 'B-0': 1, 'B-1': 1 };
    const settings = { ...defaultRolloutSettings, shares, thresholds: shares, minSessions: 1 };
    for (const windowMs of [60_000, 86_400_000]) expect(checkRolloutSettings({ ...settings, windowMs })).toEqual([]);
    for (const windowMs of [59_999, 86_400_001, Number.NaN]) {
      expect(checkRolloutSettings({ ...settings, windowMs })).toHaveLength(1);
    }
    for (const wrong of [-0.01, 1.01, '0.5' as unknown as number]) {
      const thresholds = { ...shares, 'A-0': wrong };
      expect(checkRolloutSettings({ ...settings, thresholds })).toEqual(['thresholds["A-0"] must be between 0 and 1.']);
    }
  });

  it("a share of a client's own place does not reach it yet", () => {
    const place = stableBucket('ada');
    const at = { ...defaultRolloutSettings, shares: { ...defaultRolloutSettings.shares, 'A-1': place } };
    expect(isOn(at, 'A-1', 'ada')).toBe(false);
  });
});
