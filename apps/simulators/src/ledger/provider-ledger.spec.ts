import { describe, expect, it } from '@jest/globals';
import { ProviderLedger } from './provider-ledger.ts';
import type { LedgerOptions } from './entries.ts';

const EMPTY = Buffer.alloc(0);
const open = (options?: LedgerOptions): ProviderLedger =>
  new ProviderLedger(
    () => 7,
    (row) => `id-${row}`,
    options,
  );
const accept = (ledger: ProviderLedger, token: string, hash: string, collapseId = '', id = ''): void =>
  ledger.record({ token, hash, collapseId, id, payload: EMPTY }, 200, 'accepted');

describe('ProviderLedger', () => {
  it('identifies duplicates by token and message, and the masked ones among them', () => {
    const ledger = open();
    accept(ledger, 'a', 'P_1_2_3_d1', 'x');
    accept(ledger, 'b', 'P_1_2_3_d2', 'x');
    accept(ledger, 'a', 'P_1_2_4_d1', 'x');
    expect(ledger.summary()).toMatchObject({ accepted: 3, tokens: 2, duplicates: 0 });
    accept(ledger, 'a', 'P_1_2_3_d1', 'x');
    accept(ledger, 'b', 'P_1_2_3_d2', 'y');
    accept(ledger, 'a', 'P_1_2_4', '');
    expect(ledger.summary()).toMatchObject({ accepted: 6, tokens: 2, duplicates: 3, masked: 1 });
  });

  it('counts refusals by reason and never as duplicates', () => {
    const ledger = open();
    const push = { token: 'a', hash: 'P_1_2_3', collapseId: '', id: '', payload: EMPTY };
    ledger.record(push, 429, 'TooManyRequests');
    ledger.record(push, 429, 'TooManyRequests');
    ledger.record(push, 0, 'reset');
    ledger.count('resetUnread');
    ledger.note('receipt taken');
    accept(ledger, 'a', 'P_1_2_3');
    expect(ledger.summary()).toEqual({
      accepted: 1,
      refused: 4,
      byReason: { accepted: 1, TooManyRequests: 2, reset: 1, resetUnread: 1, 'receipt taken': 1 },
      tokens: 1,
      duplicates: 0,
      masked: 0,
      unidentified: 0,
      forgotten: { entries: 0, pairs: 0 },
    });
  });

  it('counts pushes that could not be identified', () => {
    const ledger = open();
    accept(ledger, 'a', '');
    accept(ledger, 'a', '');
    expect(ledger.summary()).toMatchObject({ duplicates: 0, unidentified: 2 });
  });

  it('returns entries in their order, by token, reason and page', () => {
    const ledger = open({ keepPayloads: true });
    for (let n = 0; n < 10; n++)
      accept(ledger, `t${n % 2}`, `P_1_2_3_d${n}`, n === 4 ? 'ünïcode' : '', n === 5 ? 'own' : '');
    ledger.record({ token: 't1', hash: '', collapseId: '', id: '', payload: Buffer.from('{}') }, 410, 'Unregistered');
    expect(ledger.entries({ token: 't0' }).map(({ row }) => row)).toEqual([0, 2, 4, 6, 8]);
    expect(ledger.entries({ limit: 2, offset: 4 })).toMatchObject([
      { row: 4, token: 't0', collapseId: 'ünïcode', hash: 'P_1_2_3_d4', id: 'id-4', at: 7 },
      { row: 5, token: 't1', collapseId: '', hash: 'P_1_2_3_d5', id: 'own' },
    ]);
    expect(ledger.entries({ reason: 'Unregistered' })).toMatchObject([{ token: 't1', status: 410, payload: '{}' }]);
    expect(ledger.entries({ token: 'nobody' })).toEqual([]);
    expect(ledger.entries({ reason: 'none' })).toEqual([]);
  });

  it('returns devices with their accepted pushes', () => {
    const ledger = open();
    accept(ledger, 'a', 'P_1_2_3_d1', 'x');
    accept(ledger, 'a', 'P_1_2_3_d1', 'x');
    accept(ledger, 'a', 'P_1_2_4_d1', 'y');
    ledger.record({ token: 'b', hash: 'P_1_2_3_d2', collapseId: 'x', id: '', payload: EMPTY }, 410, 'Unregistered');
    accept(ledger, 'c', 'P_1_2_3_d3');
    const a = { token: 'a', accepted: 3, collapseIds: ['x', 'y'], hashes: ['P_1_2_3_d1', 'P_1_2_4_d1'] };
    const b = { token: 'b', accepted: 0, collapseIds: [], hashes: [] };
    const c = { token: 'c', accepted: 1, collapseIds: [], hashes: ['P_1_2_3_d3'] };
    expect(ledger.devices()).toEqual([a, b, c]);
    expect(ledger.devices({ limit: 1, offset: 1 })).toEqual([b]);
    expect(ledger.devices({ token: 'c' })).toEqual([c]);
    expect(ledger.devices({ token: 'd' })).toEqual([]);
  });

  it('drops the oldest entries beyond its capacity, reports so, and continues to count', () => {
    const ledger = open({ maxEntries: 20_000 });
    const total = 70_000;
    for (let n = 0; n < total; n++) accept(ledger, `token-${n}`, 'P_1_2_3', `c${n}`);
    const { accepted, tokens, forgotten } = ledger.summary();
    expect([accepted, tokens]).toEqual([total, total]);
    expect(forgotten).toEqual({ entries: 65_536, pairs: 40_000 });
    expect(ledger.entries({ limit: 1 })).toMatchObject([{ row: 65_536, token: 'token-65536', collapseId: 'c65536' }]);
    accept(ledger, `token-${total - 1}`, 'P_1_2_3', `c${total - 1}`);
    accept(ledger, 'token-0', 'P_1_2_3', 'c0');
    expect(ledger.summary()).toMatchObject({ tokens: total, duplicates: 1, masked: 1 });
  });
});
