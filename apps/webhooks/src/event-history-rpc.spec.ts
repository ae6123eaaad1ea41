import { describe, expect, it } from '@jest/globals';
import type { Commit } from '@tidings/event-store';
import { EventsEnqueued, type WebhookEvent } from '@tidings/events';
import { Bitmap } from '@tidings/kernel';
import { openLog } from '@tidings/runtime';
import { eventHistoryRpc } from './event-history-rpc.ts';
import type { DueEvent } from './events/due-event.ts';
import type { Made } from './events/make.ts';

const START = Date.UTC(2026, 0, 15);
const at = (second: number): Date => new Date(START + second * 1000);

function commit(position: number, second: number, application: string, positions: readonly number[]) {
  const set = Buffer.from(Bitmap.of(positions).encode());
  const value = EventsEnqueued.fromPartial({ application, set, at: [START / 1000 + second] });
  const event: WebhookEvent = { account: 'a', at: at(second), event: { $case: 'enqueued', value } };
  return { position, at: at(second), events: [event] } as unknown as Commit<WebhookEvent>;
}

const bytesOf = ({ enqueued, position, at: second }: DueEvent): Uint8Array =>
  Buffer.from(`${enqueued.application} ${position} ${second - START / 1000}`);

async function read(commits: readonly Commit<WebhookEvent>[], [since, until]: readonly [number, number]) {
  const made: number[] = [];
  const history = eventHistoryRpc({
    log: openLog('silent'),
    commits: {
      newest: async () => commits.at(-1)?.position ?? 0,
      newestBefore: async (_, before) => commits.findLast((each) => each.at < before)?.position ?? 0,
      after: async (_, position, limit) => commits.filter((each) => each.position > position).slice(0, limit),
    },
    maker: {
      async make(_, due) {
        made.push(due.length);
        return due.map((event): Made => {
          if (event.position === 404) return undefined;
          if (event.position === 500) return new Error('cannot be made');
          return { uuid: '', applicationCode: '', hwid: '', bytes: bytesOf(event) };
        });
      },
    },
  });
  const texts: string[] = [];
  const request = { account: 'a', application: 'A', since: at(since), until: at(until) };
  for await (const { events } of history.read(request)) texts.push(...events.map(String));
  return { texts, made };
}

describe('the events of the last 72 hours (R-EV9)', () => {
  it('are those of an application and a time, in the order of the log', async () => {
    const commits = [1, 2, 3, 4, 5, 6, 7].map((n) => commit(n, 100 * n, n === 3 ? 'B' : 'A', [n]));
    const { texts } = await read(commits, [200, 600]);
    expect(texts).toEqual(['A 2 200', 'A 4 400', 'A 5 500']);
  });

  it('are made 500 at a time, without those of erased devices and those that cannot be made', async () => {
    const { texts, made } = await read(
      [
        commit(
          1,
          1,
          'A',
          Array.from({ length: 1_001 }, (_, i) => i),
        ),
      ],
      [0, 2],
    );
    expect([texts.length, made]).toEqual([999, [500, 500, 1]]);
  });

  it('are none without a log', async () => {
    expect(await read([], [0, 2])).toEqual({ texts: [], made: [] });
  });
});
