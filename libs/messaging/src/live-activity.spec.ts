import { describe, expect, it } from '@jest/globals';
import { LiveActivityEvent, MessageAccepted, type MessageEvent } from '@tidings/events';
import fc from 'fast-check';
import { completeInActivity, createInActivity, evolveActivity, type LiveActivity } from './live-activity.ts';
import { cancelMessage, evolveMessage, type Message, purgeMessage } from './message.ts';

const {
  LIVE_ACTIVITY_EVENT_START: START,
  LIVE_ACTIVITY_EVENT_UPDATE: UPDATE,
  LIVE_ACTIVITY_EVENT_END: END,
} = LiveActivityEvent;
const HOUR_MS = 3_600_000;
const SECONDS = Date.parse('2026-03-01T10:00:00Z') / 1000;
const APPLICATION = 'AAAAA-BBBBB';

const at = (afterMs: number): Date => new Date(SECONDS * 1000 + afterMs);
const codeOf = (n: number): string => `m${n}`;
const numberOf = (code: string): number => Number(code.slice(1));

const event = (n: number, change: MessageEvent['event'], afterMs = 0): MessageEvent => ({
  stamp: undefined,
  code: codeOf(n),
  id: BigInt(n),
  account: 'mine',
  activity: 'key',
  at: at(afterMs),
  event: change,
});
const draftOf = (kind: LiveActivityEvent, timestamp = 0) =>
  MessageAccepted.fromPartial({
    applications: [APPLICATION],
    content: { liveActivity: { id: 'order', event: kind, contentState: '{}', timestamp: BigInt(timestamp) } },
  });

/** @param second of the timestamp, after SECONDS */
const accepted = (n: number, kind: LiveActivityEvent, second: number, afterMs = 0): MessageEvent => {
  const value = { ...draftOf(kind, SECONDS + second), sendAt: at(afterMs), answer: codeOf(n) };
  return event(n, { $case: 'accepted', value }, afterMs);
};
const released = (n: number, afterMs = 0) =>
  event(n, { $case: 'released', value: { inboxOrder: 0n, step: undefined } }, afterMs);
const completed = (n: number) => event(n, { $case: 'completed', value: {} });
const canceled = (n: number) => event(n, { $case: 'canceled', value: {} });
const purged = (n: number) => event(n, { $case: 'purged', value: { application: APPLICATION, whole: true } });
const failed = (n: number) => event(n, { $case: 'failed', value: {} });

interface ActivityRequest {
  readonly event: LiveActivityEvent;
  readonly after?: number;
  readonly isKnown?: boolean;
}

/** The past events of one activity and its messages, m1, m2 and so on. */
function given(...past: readonly MessageEvent[]) {
  const activity = past.reduce<LiveActivity | undefined>(evolveActivity, undefined);
  const messages = new Map<string, Message>();
  for (const each of past) messages.set(each.code, evolveMessage(messages.get(each.code), each));
  const message = (n: number): Message => messages.get(codeOf(n))!;
  const expecting = (events: readonly MessageEvent[]) => ({
    events,
    then: (...expected: readonly MessageEvent[]) => expect(events).toEqual(expected),
  });
  return {
    activity,
    messages: [...messages.values()],
    statusOf: (n: number): string => message(n).status,
    timestampOf: (n: number): number => Number(message(n).accepted.content!.liveActivity!.timestamp),
    whenSent({ event: kind, after = 0, isKnown = false }: ActivityRequest) {
      const n = messages.size + 1;
      const of = {
        code: codeOf(n),
        id: n,
        account: 'mine',
        activity: 'key',
        isKnown,
        draft: draftOf(kind),
        at: at(after),
      };
      const { events, created } = createInActivity(of, activity);
      const thenRefused = (reason: string): void => {
        expect(events).toEqual([]);
        expect(created).toEqual({ refusal: reason });
      };
      return { ...expecting(events), thenRefused };
    },
    whenCompleted: (n: number) => expecting(completeInActivity(message(n), activity, at(0))),
    whenPurged: (n: number) => expecting(purgeMessage(message(n), APPLICATION, at(0))),
    whenCanceled: (n: number) => ({
      thenRefused: (text: string) => expect(() => cancelMessage(message(n), 'mine', at(0))).toThrow(text),
    }),
  };
}

const sentBy = (past: readonly MessageEvent[]): string[] =>
  past.flatMap(({ code, event: change }) => (change?.$case === 'released' ? [code] : []));

const started = [accepted(1, START, 0), released(1)];

describe('a live activity (R-S6)', () => {
  it('is started, and updated any number of times', () => {
    given()
      .whenSent({ event: START })
      .then(...started);
    const past = [...started];
    for (const n of [2, 3, 4]) {
      const update = [accepted(n, UPDATE, n - 1), released(n)];
      given(...past)
        .whenSent({ event: UPDATE })
        .then(...update);
      past.push(...update);
      given(...past)
        .whenCompleted(n)
        .then(completed(n));
      past.push(completed(n));
    }
    expect(given(...past).activity).toMatchObject({
      status: 'open',
      application: APPLICATION,
      sending: undefined,
      waiting: [],
    });
  });

  it('is closed by its end', () => {
    const ended = [accepted(2, END, 1), released(2)];
    given(...started)
      .whenSent({ event: END })
      .then(...ended);
    for (const kind of [UPDATE, END]) {
      given(...started, ...ended)
        .whenSent({ event: kind, isKnown: true })
        .thenRefused('activityClosed');
    }
  });

  it('is closed 12 hours after its last start', () => {
    const again = [accepted(2, START, 3600, HOUR_MS), released(2, HOUR_MS)];
    given(...started)
      .whenSent({ event: START, after: HOUR_MS })
      .then(...again);
    const after = 13 * HOUR_MS - 1;
    const update = [accepted(3, UPDATE, 13 * 3600 - 1, after), released(3, after)];
    given(...started, ...again)
      .whenSent({ event: UPDATE, after })
      .then(...update);
    given(...started, ...again, ...update)
      .whenSent({ event: UPDATE, after: 13 * HOUR_MS })
      .thenRefused('activityClosed');
  });

  it('starts afresh once it is closed (R-M1)', () => {
    const ended = [...started, accepted(2, END, 1), released(2)];
    const again = [accepted(3, START, 3600, HOUR_MS)];
    given(...ended)
      .whenSent({ event: START, after: HOUR_MS })
      .then(...again);
    const after = 12 * HOUR_MS;
    const update = [accepted(4, UPDATE, 12 * 3600, after)];
    given(...ended, ...again)
      .whenSent({ event: UPDATE, after })
      .then(...update);
    const { activity } = given(...ended, ...again, ...update);
    expect(activity).toMatchObject({ status: 'open', startedAt: at(HOUR_MS) });
  });

  it('is unknown without a start, unless a device has a token for it (R-M2)', () => {
    for (const kind of [UPDATE, END]) given().whenSent({ event: kind }).thenRefused('notFound');
    const update = [accepted(1, UPDATE, 0), released(1)];
    given()
      .whenSent({ event: UPDATE, isKnown: true })
      .then(...update);
    const after = given(...update);
    expect(after.activity).toMatchObject({ status: 'open', startedAt: undefined });
    const late = 100 * HOUR_MS;
    after.whenSent({ event: UPDATE, after: late }).then(accepted(2, UPDATE, 360_000, late));
  });
});

describe('the messages of a live activity (R-M3)', () => {
  const sending = [...started, accepted(2, UPDATE, 1), released(2)];

  it('are released one after the other', () => {
    const waiting = [...sending, accepted(3, UPDATE, 2)];
    given(...sending)
      .whenSent({ event: UPDATE })
      .then(accepted(3, UPDATE, 2));
    expect([2, 3].map(given(...waiting).statusOf)).toEqual(['PROCESSING', 'PENDING']);
    given(...waiting)
      .whenCompleted(2)
      .then(completed(2), released(3));
    const after = given(...waiting, completed(2), released(3));
    expect([2, 3].map(after.statusOf)).toEqual(['DONE', 'PROCESSING']);
    after.whenCompleted(2).then();
  });

  it('do not wait for a start, but a start waits for earlier ones', () => {
    const waiting = [accepted(3, END, 2), accepted(4, START, 3), accepted(5, UPDATE, 4)];
    waiting.forEach((expected, i) =>
      given(...sending, ...waiting.slice(0, i))
        .whenSent({ event: [END, START, UPDATE][i]! })
        .then(expected),
    );
    const past = [...sending, ...waiting];
    given(...past)
      .whenCompleted(2)
      .then(completed(2), released(3));
    given(...past, completed(2), released(3))
      .whenCompleted(3)
      .then(completed(3), released(4), released(5));
  });

  it('replace a waiting update, never an end or a start', () => {
    const replacing = [canceled(3), accepted(4, UPDATE, 2)];
    const ending = [canceled(4), accepted(5, END, 2)];
    const past = [...sending, accepted(3, UPDATE, 2)];
    given(...past)
      .whenSent({ event: START })
      .then(accepted(4, START, 3));
    for (const [kind, expected] of [
      [UPDATE, replacing],
      [END, ending],
      [START, [accepted(6, START, 3)]],
      [UPDATE, [accepted(7, UPDATE, 4)]],
    ] as const) {
      given(...past)
        .whenSent({ event: kind })
        .then(...expected);
      past.push(...expected);
    }
    expect([3, 4, 5, 6, 7].map(given(...past).statusOf)).toEqual([
      ...['CANCELED', 'CANCELED', 'PENDING', 'PENDING', 'PENDING'],
    ]);
    given(...past)
      .whenCompleted(2)
      .then(completed(2), released(5));
    given(...past, completed(2), released(5))
      .whenCompleted(5)
      .then(completed(5), released(6), released(7));
  });

  it('are limited to 100 waiting ones', () => {
    const starts = Array.from({ length: 100 }, (_, i) => accepted(3 + i, START, 2 + i));
    given(...sending, ...starts.slice(0, 99))
      .whenSent({ event: START })
      .then(starts[99]!);
    const full = given(...sending, ...starts);
    full.whenSent({ event: START }).thenRefused('tooManyWaiting');
    full.whenSent({ event: END }).thenRefused('tooManyWaiting');
  });

  it('are not deleted, and end with their application', () => {
    const past = [...sending, accepted(3, UPDATE, 2)];
    given(...past)
      .whenCanceled(3)
      .thenRefused('Message cannot be deleted');
    given(...past)
      .whenPurged(2)
      .then(failed(2), purged(2));
    given(...past, failed(2), purged(2))
      .whenPurged(3)
      .then(canceled(3), purged(3));
    const after = given(...past, failed(2), purged(2), canceled(3), purged(3));
    expect([2, 3].map(after.statusOf)).toEqual(['FAIL', 'CANCELED']);
    expect(after.activity).toMatchObject({ sending: undefined, waiting: [] });
  });

  it('have timestamps of their time, or one more than the previous one', () => {
    const past = [...sending, accepted(3, UPDATE, 2), canceled(3), accepted(4, UPDATE, 2)];
    const later = [canceled(4), accepted(5, END, 60, 60_000)].map((each) => ({ ...each, at: at(60_000) }));
    given(...past)
      .whenSent({ event: END, after: 60_000 })
      .then(...later);
    const seconds = [2, 3, 4, 5].map((n) => given(...past, ...later).timestampOf(n) - SECONDS);
    expect(seconds).toEqual([1, 2, 2, 60]);
  });

  it('are sent in order with increasing timestamps, in any order of acceptance and completion', () => {
    const step = fc.oneof(
      fc.record({ event: fc.constantFrom(START, UPDATE, UPDATE, UPDATE, END), after: fc.nat(60_000) }),
      fc.constant('complete' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const past: MessageEvent[] = [...started];
        const inFlight = (): number[] =>
          given(...past).messages.flatMap(({ status, code }) => (status === 'PROCESSING' ? [numberOf(code)] : []));
        const complete = (n: number) => past.push(...given(...past).whenCompleted(n).events);
        for (const each of steps) {
          const before = given(...past);
          if (each === 'complete') inFlight().slice(0, 1).forEach(complete);
          else if (each.event === START || before.activity!.status === 'open') {
            past.push(...before.whenSent(each).events);
          }
        }
        for (let open = inFlight(); open.length > 0; open = inFlight()) complete(open[0]!);
        const { activity, messages, timestampOf } = given(...past);
        const kept = messages.filter(({ status }) => status !== 'CANCELED');
        expect(sentBy(past)).toEqual(kept.map(({ code }) => code));
        const timestamps = kept.map(({ code }) => timestampOf(numberOf(code)));
        expect(timestamps).toEqual([...new Set(timestamps)].sort((a, b) => a - b));
        expect(activity).toMatchObject({ sending: undefined, waiting: [] });
      }),
    );
  });
});
