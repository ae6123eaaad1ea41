import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConnectionFailure } from './connection-failure.ts';
import { failureLog } from './failure-log.ts';

describe('the log of failed connections', () => {
  let lines: { host: string; cause: string; suppressed: number }[];
  let report: ReturnType<typeof failureLog>;
  beforeEach(() => {
    lines = [];
    report = failureLog({ warn: (fields) => lines.push(fields as (typeof lines)[0]) });
  });
  const fail = (seconds: number, cause: ConnectionFailure = 'connection_refused', host = 'a:443'): void =>
    report({ cause, message: 'no', at: 1_700_000_000_000 + seconds * 1000 }, host);

  it('contains the first failure at once, with its cause', () => {
    fail(0);
    expect(lines).toEqual([{ host: 'a:443', cause: 'connection_refused', reason: 'no', suppressed: 0 }]);
  });

  it('contains a line a minute while it continues, with the number of suppressed ones', () => {
    for (let seconds = 0; seconds <= 180; seconds += 2) fail(seconds);
    expect(lines.map(({ suppressed }) => suppressed)).toEqual([0, 29, 29, 29]);
  });

  it('contains another cause, and another host, at once', () => {
    fail(0);
    fail(1, 'certificate_expired');
    fail(2, 'certificate_expired');
    fail(3);
    fail(4, 'certificate_expired', 'b:443');
    expect(lines.map(({ host, cause }) => `${host} ${cause}`)).toEqual([
      ...['a:443 connection_refused', 'a:443 certificate_expired', 'b:443 certificate_expired'],
    ]);
  });

  it('drops the oldest of more than 1,000 hosts', () => {
    for (let i = 0; i < 1001; i++) fail(0, 'dns_failed', `host-${i}`);
    fail(1, 'dns_failed', 'host-1000');
    expect(lines.length).toBe(1001);
    fail(1, 'dns_failed', 'host-0');
    expect(lines.length).toBe(1002);
  });
});
