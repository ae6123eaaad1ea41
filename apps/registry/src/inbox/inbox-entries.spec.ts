import { describe, expect, it } from '@jest/globals';
import type { Device } from '@tidings/audience';
import { foundEntries } from './inbox-entries.ts';
import type { PlannedEntry } from './inbox-plans.ts';

const deviceOf = (seq: number): Device => ({
  account: 'a',
  app: 'A',
  hwidHash: `h${seq}`,
  seq,
  status: 1,
  hwid: `h${seq}`,
  platform: 3,
  user: 'anna',
  cg: 0,
  tags: [],
  owners: [{ user: 'anna', from: 0 }],
  createdAt: 0,
});
const inbox = { owners: ['anna'], devices: [deviceOf(1), deviceOf(2)] };

const planned = (seq: number, content: string, at: number, until: number): PlannedEntry => ({
  plan: { message: 'M', content, at, until, neededUntil: Infinity, chunk: 0, sets: [] },
  seq,
  platform: 3,
});

describe('the entries of an inbox', () => {
  it('keep their place when a later step of the message reaches another device, and do not return (R-S4)', () => {
    const [first, later] = [planned(1, 'M/1', 10, 100), planned(2, 'M/2', 50, 200)];
    const entriesAt = (now: number) => foundEntries([later, first], inbox, now);
    expect(entriesAt(99)).toMatchObject([{ content: 'M/1', savedAt: 10, until: 100 }]);
    expect(entriesAt(99)[0]!.devices.map(({ device }) => device.seq)).toEqual([1, 2]);
    expect(entriesAt(100)).toEqual([]);
    expect(foundEntries([later], inbox, 100)).toMatchObject([{ content: 'M/2' }]);
  });
});
