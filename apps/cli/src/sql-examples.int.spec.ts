import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventData, eventDataOf, eventExamples } from '@tidings/contract';
import { describeWhere } from '@tidings/testing';

const DEVICES = 40;
const OPENS_FROM = Date.UTC(2026, 0, 15, 22);
const HOUR_MS = 3_600_000;

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');

/** The examples install their packages on first use. */
function isInstalled(name: string): boolean {
  const { status, stderr, error } = spawnSync(join(examples, name, 'setup.sh'), { encoding: 'utf8' });
  if (status !== 0) process.stderr.write(`The examples of ${name} are skipped: ${error?.message ?? stderr}\n`);
  return status === 0;
}

interface Happened {
  readonly name: string;
  readonly device: number;
  readonly at?: number;
  readonly category?: string;
}

const uuidOf = (number: number): string => `1ba7b7a1-80d3-517b-86b1-${String(number).padStart(12, '0')}`;

function eventOf({ name, device, at, category }: Happened, number: number): EventData {
  const example = eventExamples.find(({ eventName }) => eventName === name)!;
  return eventDataOf({
    ...example,
    uuid: uuidOf(number),
    hwid: `device-${device}`,
    ...(at !== undefined && { timestamp: new Date(at) }),
    ...(category !== undefined && { payload: JSON.stringify(category === '' ? {} : { category }) }),
  });
}

const devices = Array.from({ length: DEVICES }, (_, device) => device);

const history: readonly Happened[] = devices.flatMap((device): Happened[] => [
  device % 10 === 9 ? { name: 'Push Failed', device } : { name: 'Push Sent', device },
  ...(device % 2 === 0 ? [{ name: 'Push Delivered', device }] : []),
  ...(device % 4 === 0 ? [{ name: 'Push Opened', device, at: OPENS_FROM + device * (HOUR_MS / 10) }] : []),
  ...(device % 5 === 0
    ? [
        { name: 'Email Sent', device },
        { name: 'Email Clicked', device },
      ]
    : []),
  ...(device % 8 === 0
    ? [
        {
          name: 'Email Unsubscribed',
          device,
          at: OPENS_FROM + device * HOUR_MS,
          category: device % 3 === 0 ? '' : 'News',
        },
      ]
    : []),
]);

const counted = (of: (happened: Happened) => string | undefined): (readonly [string, number])[] => {
  const keys = history.flatMap((happened) => of(happened) ?? []);
  return [...Map.groupBy(keys, (key) => key)].map(([key, { length }]) => [key, length] as const).toSorted();
};

const message = eventExamples[0]!.messageCode;
const stageOf = (channel: string, stage: string): number =>
  history.filter(({ name }) => name === `${channel} ${stage}`).length;
const funnelOf = (channel: string) => ({
  message_code: message,
  channel: channel.toLowerCase(),
  sent: stageOf(channel, 'Sent'),
  delivered: stageOf(channel, 'Delivered'),
  opened: stageOf(channel, 'Opened'),
  clicked: stageOf(channel, 'Clicked'),
  failed: stageOf(channel, 'Failed'),
});

const expected = {
  funnel: ['Email', 'Push'].map(funnelOf),
  opens_by_hour: counted(({ name, at }) =>
    name === 'Push Opened' ? `${new Date(at!).toISOString().slice(0, 13)}:00:00Z` : undefined,
  ).map(([hour, opens]) => ({ message_code: message, hour, opens })),
  unsubscribes: counted(({ name, at, category }) =>
    name === 'Email Unsubscribed' ? `${new Date(at!).toISOString().slice(0, 10)} ${category}` : undefined,
  ).map(([key, devicesOfDay]) => {
    const [day, category] = key.split(' ');
    return { day, category, devices: devicesOfDay };
  }),
};

describe('queries of analysts', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-sql-'));
    const lines = history.map((happened, number) => `${JSON.stringify(eventOf(happened, number))}\n`);
    // Each event comes twice.
    writeFileSync(join(folder, 'events.ndjson'), [...lines, ...lines].join(''));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  for (const name of ['duckdb', 'clickhouse']) {
    describeWhere(isInstalled(name))(`in ${name}`, () => {
      it('count each event once: funnel, opens by hour, unsubscribes (R-EV8)', () => {
        const python = join(examples, name, '.venv', 'bin', 'python');
        const printed = execFileSync(python, [join(examples, name, 'run.py')], { cwd: folder, encoding: 'utf8' });
        expect(JSON.parse(printed)).toEqual(expected);
      });
    });
  }
});
