import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { credentialRenewal, RENEWED_AT_ONCE } from './credential-renewal.ts';

describe('the renewal of credentials', () => {
  const renewalOf = (blockedCredentials: readonly string[], broken = '') => {
    const renewed: string[] = [];
    const round = credentialRenewal({
      blockedCredentials: () => blockedCredentials,
      renew: async (reference) => {
        if (reference === broken) throw Fault.unavailable(`${reference} cannot be read`);
        return 7;
      },
      onRenewed: (reference, version) => void renewed.push(`${reference} ${version}`),
    });
    return { round, renewed };
  };

  it('reads each credential once, and reports its version', async () => {
    const { round, renewed } = renewalOf(['B/3', 'A/1', 'B/3']);
    await round();
    expect(renewed).toEqual(['A/1 7', 'B/3 7']);
  });

  it('reads the others although one cannot be read, and reports that', async () => {
    const { round, renewed } = renewalOf(['A/1', 'B/1', 'C/1'], 'A/1');
    await expect(round()).rejects.toThrow('A/1 cannot be read');
    expect(renewed).toEqual(['B/1 7', 'C/1 7']);
  });

  it('reads a bounded number in a round, and all in turn', async () => {
    const all = Array.from({ length: 2 * RENEWED_AT_ONCE + 1 }, (_, i) => `A${1000 + i}/1`);
    const { round, renewed } = renewalOf(all);
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) {
      await round();
      seen.push(renewed.splice(0).length);
    }
    expect(seen).toEqual([RENEWED_AT_ONCE, RENEWED_AT_ONCE, 1, RENEWED_AT_ONCE]);
  });
});
