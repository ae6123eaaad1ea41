import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { World } from '../../testing/gateway-world.ts';

describe('lists (R-T8)', () => {
  let client: Client;
  beforeAll(async () => {
    client = await openClient(new World());
  });
  afterAll(() => client.close());

  it('of jobs name the method, the reason of a failure and the next page', async () => {
    const job = { id: 'j1', kind: 'exportSegment', application: null, failure: 'JOB_FAILURE_PROCESS_DIED' };
    const first = await client.admin('GET', 'jobs?kind=exportSegment');
    expect(first.body).toMatchObject({ jobs: [job], next: '1.j1' });
    expect((await client.admin('GET', 'jobs?kind=exportSegment&after=1.j1')).body).toMatchObject({ next: null });
  });

  it('of suppressions have no address that no contact has', async () => {
    const listed = async (reason: string) => (await client.admin('GET', `suppressions?reason=${reason}`)).body;
    const times = { blacklisted_at: '2026-01-15T12:00:00Z', complained_at: null };
    expect(await listed('blacklist')).toEqual({ suppressions: [{ hash: 'h', address: null, ...times }], next: null });
    expect(await listed('complaint')).toMatchObject({ suppressions: [{ address: 'a@example.com' }] });
  });

  it.each(['accounts?after=x', 'groups?after=1.', 'jobs?after=9999999999999999.x', 'jobs?limit=501', 'jobs?kind=x'])(
    'refuse %s',
    async (path) => {
      expect(await client.admin('GET', path)).toMatchObject({ status: 400 });
    },
  );
});
