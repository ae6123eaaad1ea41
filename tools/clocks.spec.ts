import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');

const readers: Readonly<Record<string, string>> = {
  'apps/cli/src/data/export-data.ts': 'tells the time of an export',
  'apps/cli/src/doctor/api-checks.ts': 'compares clocks',
  'apps/cli/src/doctor/environment-checks.ts': 'compares clocks, and dates of certificates',
  'apps/cli/src/import/import-file.ts': 'tells the time of an import',
  'apps/demo/src/walkthrough/customer.ts': 'schedules a message',
  'apps/dispatcher/src/timers.ts': 'stores the ends of leases and permits',
  'apps/webhooks/src/streams/links/http/http.ts': 'signs the time of a request',
  'apps/webhooks/src/streams/streams.ts': 'stores the end of a lease',
  'libs/event-store/src/mongo/open-logs.ts': 'tells the time of an entry',
  'libs/event-store/src/relay/skipped-commits.ts': 'tells the time of an entry',
  'libs/kernel/src/clock.ts': 'is the clock',
  'libs/kernel/src/forward-steps.ts': 'compares it with the monotonic one',
  'libs/patches/src/kafkajs.ts': 'reads what kafkajs has noted',
  'libs/rpc/src/grpc/rpc-replica.ts': 'converts a deadline for gRPC, which starts a timer at once',

  'libs/runtime/src/standard-output.ts': 'tells the time of a line',
  'libs/web-sdk/src/inbox.ts': 'reports the time of a status',
  'libs/web-sdk/src/subscription.ts': 'reads the time zone',
};

const isTest = /\.spec\.ts$|\.features\.ts$|\/testing\/|\/e2e\/|^apps\/simulators\/|^libs\/testing\/|\/generated\//;
const sources = globSync('{apps,libs}/*/src/**/*.ts', { cwd: root }).filter((path) => !isTest.test(path));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the adjustable clock of the system', () => {
  it('is read only for times that are reported or stored: a wait within a process is measured by performance.now()', () => {
    const reading = sources.filter((path) => /\bDate\.now\b|\bnew Date\(\)/.test(textOf(path)));
    expect(reading.toSorted()).toEqual(Object.keys(readers));
  });

  it('moves no time that a source keeps in memory to compare it with later ones', () => {
    // `#untilX = clock.now() + …`: such a field needs steadyTime(clock).
    const kept = /this\.#\w*[uU]ntil\w* = (?:this\.#(?:deps|options)\.|this\.#)?clock\.now\(\)/;
    expect(sources.filter((path) => kept.test(textOf(path)))).toEqual([]);
  });

  it('is compared with stored times by dueFilter or isDue: a query for the past alone waits for as long as a step back', () => {
    const past = /\{ \$lte: new Date\((?:this\.#(?:deps|options)\.|this\.#)?clock\.now\(\)(?: \+ \w+)?\) \}/;
    expect(sources.filter((path) => past.test(textOf(path)))).toEqual(Object.keys(unbounded));
  });
});

/** For times that callers set, or that have no longest wait. */
const unbounded: Readonly<Record<string, string>> = {
  'apps/scheduler/src/messages/completion.ts': 'callers say how long a message is open',
  'apps/scheduler/src/messages/message-metrics.ts': 'callers say how long a message is open',
  'apps/scheduler/src/messages/schedule.ts': 'callers schedule messages',
};
