import { describe, expect, it } from '@jest/globals';
import type { ApiClient, Reply } from '@tidings/client';
import type { Device, Outcome } from './outcome.ts';
import { columnsOf } from './row.ts';
import { upload } from './upload.ts';

const columns = columnsOf(['hwid']);
const mappedOf = (outcome: Outcome, line: number) => ({
  row: { line, values: [`row ${line}`], columns },
  outcome,
});
const device = (hwid: string): Device => ({ hwid, push_token: 't', platform: 3 });
const register = (hwid: string): Outcome => ({ kind: 'register', device: device(hwid) });

const reply = (status: number, body: unknown, headers = {}): Reply => ({ status, body, headers });

/** Registers all, but fails `bad` and the tags of `tagged`, and refuses requests with `poison`. */
function serviceOf(first: readonly (Reply | Error)[] = []) {
  const calls: string[] = [];
  const jobs: Device[][] = [];
  const before = [...first];
  const rowOf = ({ hwid }: Device) => {
    if (hwid === 'bad') return { hwid, status: 'failed', reason: 'Hwid is not valid' };
    return hwid === 'tagged'
      ? { hwid, status: 'done', tags: { Level: 'wrong value: integer expected', Other: 'ok' } }
      : { hwid, status: 'done' };
  };
  const answer = (name: string, parameters: Readonly<Record<string, unknown>>): Reply => {
    if (name === 'blacklistAddress') {
      const isValid = String(parameters['address']).includes('@');
      return isValid ? reply(200, {}) : reply(400, { error: { message: 'address: no @' } });
    }
    if (name === 'bulkRegisterDevice') {
      const devices = parameters['devices'] as Device[];
      if (devices.some(({ hwid }) => hwid === 'poison')) return reply(400, { message: 'devices[0].x: wrong' });
      return reply(200, { request_id: String(jobs.push(devices) - 1), status: 'Pending' });
    }
    const devices = jobs[Number(parameters['request_id'])]!;
    return reply(200, { status: 'Completed', ...(parameters['detailed'] === true && { devices: devices.map(rowOf) }) });
  };
  const client = {
    reply: async (name: string, parameters: Readonly<Record<string, unknown>>) => {
      calls.push(name);
      const next = before.shift();
      if (next instanceof Error) throw next;
      return next ?? answer(name, parameters);
    },
  } as unknown as ApiClient;
  return { deps: { client, application: 'A', account: undefined }, calls, jobs };
}

describe('an upload', () => {
  it('tells what became of each row', async () => {
    const { deps, jobs } = serviceOf();
    const outcomes: Outcome[] = [
      register('good'),
      { kind: 'skip', reason: 'no platform' },
      register('bad'),
      { kind: 'blacklist', address: 'a@example.com' },
      { kind: 'blacklist', address: 'nobody' },
      { kind: 'unsubscribe', device: device('mail') },
      register('tagged'),
    ];
    const { failedRows, ...counts } = await upload(deps, outcomes.map(mappedOf));
    expect(counts).toEqual({
      registered: 2,
      unsubscribed: 1,
      blacklisted: 1,
      skipped: 1,
      failed: 2,
      withoutSomeTags: 1,
    });
    expect(failedRows.map(({ row, reason }) => [row.line, reason])).toEqual([
      [1, 'no platform'],
      [2, 'Hwid is not valid'],
      [4, 'address: no @'],
      [6, 'registered without Level: wrong value: integer expected'],
    ]);
    expect(jobs.map((devices) => devices.map(({ hwid }) => hwid))).toEqual([['good', 'bad', 'mail', 'tagged']]);
  });

  it('fails only the row for which a request is refused', async () => {
    const { deps } = serviceOf();
    const hwids = ['a', 'b', 'poison', 'c', 'd'];
    const { registered, failedRows } = await upload(
      deps,
      hwids.map((hwid, i) => mappedOf(register(hwid), i)),
    );
    expect(registered).toBe(4);
    expect(failedRows).toMatchObject([{ row: { line: 2 }, reason: 'devices[0].x: wrong' }]);
  });

  it('waits while the service says so', async () => {
    const busy = reply(429, { message: 'Too many requests' }, { 'retry-after': '0' });
    const { deps, calls } = serviceOf([busy, reply(503, {}, { 'retry-after': '0' })]);
    expect((await upload(deps, [mappedOf(register('a'), 1)])).registered).toBe(1);
    expect(calls.filter((name) => name === 'bulkRegisterDevice')).toHaveLength(3);
  });

  it('ends with what the service refuses altogether', async () => {
    const { deps } = serviceOf([reply(403, { message: 'DENIED' })]);
    await expect(upload(deps, [mappedOf(register('a'), 1)])).rejects.toThrow('403');
  });
});
