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

interface ActivityRequest {
  readonly event: LiveActivityEvent;
  readonly after?: number;
  readonly isKnown?: boolean;
}

class World {
  activity: LiveActivity | undefined;
  readonly messages = new Map<string, Message>();
  readonly sent: string[] = [];
  #count = 0;

  send({ event, after = 0, isKnown = false }: ActivityRequest): string {
    const code = `m${++this.#count}`;
    const content = { liveActivity: { id: 'order', event, contentState: '{}' } };
    const draft = MessageAccepted.fromPartial({ applications: [APPLICATION], content });
    const of = { code, id: this.#count, account: 'mine', activity: 'key', isKnown, draft, at: this.#at(after) };
    const { events, created } = createInActivity(of, this.activity);
    this.apply(events);
    return 'refusal' in created ? created.refusal : code;
  }

  complete(code: string): void {
    this.apply(completeInActivity(this.messages.get(code)!, this.activity, this.#at(0)));
  }

  apply(events: readonly MessageEvent[]): void {
    for (const event of events) {
      expect(event.activity).toBe('key');
      this.activity = evolveActivity(this.activity, event);
      this.messages.set(event.code, evolveMessage(this.messages.get(event.code), event));
      if (event.event?.$case === 'released') this.sent.push(event.code);
    }
  }

  statusOf(code: string): string {
    return this.messages.get(code)!.status;
  }

  timestampOf(code: string): number {
    return Number(this.messages.get(code)!.accepted.content!.liveActivity!.timestamp);
  }

  #at(after: number): Date {
    return new Date(SECONDS * 1000 + after);
  }
}

const started = (): World => {
  const world = new World();
  world.send({ event: START });
  return world;
};

describe('a live activity (R-S6)', () => {
  it('is started, and updated any number of times', () => {
    const world = started();
    for (let i = 0; i < 3; i++) world.complete(world.send({ event: UPDATE }));
    expect(world.activity).toMatchObject({ status: 'open', application: APPLICATION, sending: undefined, waiting: [] });
    expect(world.sent).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  it('is closed by its end', () => {
    const world = started();
    world.send({ event: END });
    for (const event of [UPDATE, END]) {
      expect(world.send({ event, isKnown: true })).toBe('activityClosed');
    }
  });

  it('is closed 12 hours after its last start', () => {
    const world = started();
    world.send({ event: START, after: HOUR_MS });
    world.send({ event: UPDATE, after: 13 * HOUR_MS - 1 });
    expect(world.send({ event: UPDATE, after: 13 * HOUR_MS })).toBe('activityClosed');
  });

  it('starts afresh once it is closed (R-M1)', () => {
    const world = started();
    world.send({ event: END });
    world.send({ event: START, after: HOUR_MS });
    world.send({ event: UPDATE, after: 12 * HOUR_MS });
    expect(world.activity).toMatchObject({ status: 'open', startedAt: new Date(SECONDS * 1000 + HOUR_MS) });
  });

  it('is unknown without a start, unless a device has a token for it (R-M2)', () => {
    const world = new World();
    for (const event of [UPDATE, END]) {
      expect(world.send({ event })).toBe('notFound');
    }
    world.send({ event: UPDATE, isKnown: true });
    expect(world.activity).toMatchObject({ status: 'open', startedAt: undefined });
    world.send({ event: UPDATE, after: 100 * HOUR_MS });
  });
});

describe('the messages of a live activity (R-M3)', () => {
  it('are released one after the other', () => {
    const world = started();
    const first = world.send({ event: UPDATE });
    const second = world.send({ event: UPDATE });
    expect([world.statusOf(first), world.statusOf(second)]).toEqual(['PROCESSING', 'PENDING']);
    world.complete(first);
    expect([world.statusOf(first), world.statusOf(second)]).toEqual(['DONE', 'PROCESSING']);
    world.complete(first);
    expect(world.sent).toEqual(['m1', first, second]);
  });

  it('do not wait for a start, but a start waits for earlier ones', () => {
    const world = started();
    const update = world.send({ event: UPDATE });
    const end = world.send({ event: END });
    const again = world.send({ event: START });
    const next = world.send({ event: UPDATE });
    expect(world.sent).toEqual(['m1', update]);
    world.complete(update);
    expect(world.sent).toEqual(['m1', update, end]);
    world.complete(end);
    expect(world.sent).toEqual(['m1', update, end, again, next]);
  });

  it('replace a waiting update, never an end or a start', () => {
    const world = started();
    const [first, second, third] = [UPDATE, UPDATE, UPDATE].map((event) => world.send({ event }));
    const end = world.send({ event: END });
    const start = world.send({ event: START });
    const last = world.send({ event: UPDATE });
    expect([second!, third!, end, start, last].map((code) => world.statusOf(code))).toEqual([
      ...['CANCELED', 'CANCELED', 'PENDING', 'PENDING', 'PENDING'],
    ]);
    world.complete(first!);
    world.complete(end);
    expect(world.sent).toEqual(['m1', first, end, start, last]);
  });

  it('are limited to 100 waiting ones', () => {
    const world = started();
    world.send({ event: UPDATE });
    for (let i = 0; i < 100; i++) world.send({ event: START });
    expect(world.send({ event: START })).toBe('tooManyWaiting');
    expect(world.send({ event: END })).toBe('tooManyWaiting');
  });

  it('are not deleted, and end with their application', () => {
    const world = started();
    const [first, second] = [world.send({ event: UPDATE }), world.send({ event: UPDATE })];
    const at = new Date(SECONDS * 1000);
    expect(() => cancelMessage(world.messages.get(second), 'mine', at)).toThrow('Message cannot be deleted');
    for (const code of [first, second]) world.apply(purgeMessage(world.messages.get(code), APPLICATION, at));
    expect([first, second].map((code) => world.statusOf(code))).toEqual(['FAIL', 'CANCELED']);
    expect(world.activity).toMatchObject({ sending: undefined, waiting: [] });
    expect(world.sent).toEqual(['m1', first]);
  });

  it('have timestamps of their time, or one more than the previous one', () => {
    const world = started();
    const first = world.send({ event: UPDATE });
    const replaced = world.send({ event: UPDATE });
    const second = world.send({ event: UPDATE });
    const later = world.send({ event: END, after: 60_000 });
    expect([first, replaced, second, later].map((code) => world.timestampOf(code) - SECONDS)).toEqual([1, 2, 2, 60]);
  });

  it('are sent in order with increasing timestamps, in any order of acceptance and completion', () => {
    const step = fc.oneof(
      fc.record({ event: fc.constantFrom(START, UPDATE, UPDATE, UPDATE, END), after: fc.nat(60_000) }),
      fc.constant('complete' as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const world = started();
        const inFlight = (): string[] =>
          [...world.messages.values()].flatMap((m) => (m.status === 'PROCESSING' ? [m.code] : []));
        const accepted: string[] = ['m1'];
        for (const each of steps) {
          if (each === 'complete') for (const code of inFlight().slice(0, 1)) world.complete(code);
          else if (each.event === START || world.activity!.status === 'open') accepted.push(world.send(each));
        }
        for (let open = inFlight(); open.length > 0; open = inFlight()) world.complete(open[0]!);
        const canceled = new Set(accepted.filter((code) => world.statusOf(code) === 'CANCELED'));
        expect(world.sent).toEqual(accepted.filter((code) => !canceled.has(code)));
        const timestamps = world.sent.map((code) => world.timestampOf(code));
        expect(timestamps).toEqual([...new Set(timestamps)].sort((a, b) => a - b));
        expect(world.activity).toMatchObject({ sending: undefined, waiting: [] });
      }),
    );
  });
});
