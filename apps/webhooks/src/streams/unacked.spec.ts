import { describe, expect, it } from '@jest/globals';
import { ANSWER_MS, GIVE_UP_MS, MADE_ROOM, MAX_UNACKED, UnackedEvents, waitMs } from './unacked.ts';

const HOUR_MS = 3_600_000;

class Wire {
  readonly events = new UnackedEvents();
  now = 0;

  /** Events with the same key have the same device and message. */
  read(...keys: readonly string[]): this {
    for (const key of keys) {
      const d = this.#read++;
      this.events.add({ n: 1, e: 0, d, key, enqueuedAt: this.now, failures: 0, at: 0 });
    }
    return this;
  }
  #read = 0;

  send(): number[] {
    const due = this.events.dueEvents(this.now);
    for (const event of due) this.events.sent(event, `u${event.d}`, this.now);
    return due.map(({ d }) => d);
  }

  answer(d: number, isAck = true) {
    const uuid = `u${d}`;
    return isAck ? this.events.acked(uuid, this.now) : this.events.failed([uuid], 'refused', this.now) === 1;
  }

  pass(ms: number): { late: number; givenUp: number } {
    const passed = { late: 0, givenUp: 0 };
    for (const end = this.now + ms; this.now < end;) {
      this.now = Math.min(end, this.now + 250);
      const { late, givenUp } = this.events.elapse(this.now, this.now);
      passed.late += late;
      passed.givenUp += givenUp;
    }
    return passed;
  }
}

const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `k${i}`);

describe('unacked events', () => {
  it('are sent in order, and removed when acknowledged', () => {
    const wire = new Wire().read('a', 'b');
    expect(wire.send()).toEqual([0, 1]);
    expect([wire.answer(1), wire.answer(0)]).toEqual([true, true]);
    expect([wire.events.size, wire.events.inFlight, wire.send()]).toEqual([0, 0, []]);
    expect(wire.answer(0)).toBe(false);
  });

  it('wait for the earlier ones of their device and message, and let others overtake', () => {
    const wire = new Wire().read('a', 'a', 'b', 'a');
    expect(wire.send()).toEqual([0, 2]);
    wire.answer(0, false);
    expect(wire.send()).toEqual([]);
    wire.pass(1000);
    expect(wire.send()).toEqual([0]);
    wire.answer(0);
    expect(wire.send()).toEqual([1]);
    wire.answer(1);
    expect(wire.send()).toEqual([3]);
  });

  it('are sent again after 1, 2, 4 … 60 s when they fail', () => {
    const wire = new Wire().read('a');
    const waits: number[] = [];
    wire.send();
    for (let i = 0; i < 8; i++) {
      expect(wire.events.failed(['u0'], 'unavailable', wire.now)).toBe(1);
      const from = wire.now;
      while (wire.send().length === 0) wire.pass(250);
      waits.push((wire.now - from) / 1000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(waitMs(1)).toBe(1000);
  });

  it('are sent again without an answer within 30 s, and a late answer still counts', () => {
    const wire = new Wire().read('a', 'b');
    wire.send();
    expect(wire.pass(ANSWER_MS - 1)).toEqual({ late: 0, givenUp: 0 });
    expect(wire.pass(1)).toEqual({ late: 2, givenUp: 0 });
    expect(wire.send()).toEqual([]);
    expect(wire.answer(1)).toBe(true);
    expect(wire.answer(0, false)).toBe(false);
    wire.pass(1000);
    expect(wire.send()).toEqual([0]);
  });

  it('are sent again after a timeout of the transport, fewer at a time', () => {
    const wire = new Wire().read(...many(200));
    const sent = wire.send();
    wire.pass(1);
    expect(
      wire.events.failed(
        sent.map((d) => `u${d}`),
        'late',
        wire.now,
      ),
    ).toBe(100);
    expect([wire.events.inFlight, wire.send().length]).toEqual([0, 50]);
  });

  it('are sent again after a broken stream like refused ones', () => {
    const wire = new Wire().read('a', 'b', 'c');
    wire.send();
    wire.answer(1);
    expect(wire.events.connectionLost(wire.now)).toBe(2);
    expect([wire.events.inFlight, wire.send()]).toEqual([0, []]);
    wire.pass(1000);
    expect(wire.send()).toEqual([0, 2]);
  });

  it('are given up after 72 hours, and unblock the next of their device', () => {
    const wire = new Wire().read('a');
    wire.send();
    wire.now = HOUR_MS;
    wire.read('a');
    wire.now = GIVE_UP_MS - 1;
    expect(wire.events.elapse(wire.now, wire.now).givenUp).toBe(0);
    expect(wire.pass(1)).toMatchObject({ givenUp: 1 });
    expect(wire.events.size).toBe(1);
    expect(wire.send()).toEqual([1]);
  });

  it('are given up at their own times: a step of the clock does not move the others', () => {
    const wire = new Wire().read('a');
    wire.send();
    expect(wire.events.elapse(ANSWER_MS, -2 * HOUR_MS)).toEqual({ late: 1, givenUp: 0 });
    expect(wire.events.elapse(ANSWER_MS, GIVE_UP_MS)).toEqual({ late: 0, givenUp: 1 });
  });

  it('are at most 1000, and no more are read', () => {
    const wire = new Wire().read(...many(MAX_UNACKED));
    expect(wire.events.room).toBe(0);
    const sent = wire.send();
    for (const d of sent.slice(1)) wire.answer(d);
    // There is room for as many events as were acknowledged.
    expect(wire.events.room).toBe(0);
    wire.answer(sent[0]!);
    expect(wire.events.room).toBe(100);
  });

  it('are limited in flight at first, and more with every prompt answer', () => {
    const wire = new Wire().read(...many(MAX_UNACKED));
    const flights: number[] = [];
    for (let i = 0; i < 4; i++) {
      const sent = wire.send();
      flights.push(sent.length);
      for (const d of sent) wire.answer(d);
    }
    expect(flights).toEqual([100, 200, 400, 300]);
  });

  it('are sent in batches, none alone while many wait', () => {
    const wire = new Wire().read(...many(150));
    const [first, ...others] = wire.send();
    wire.answer(first!);
    expect(wire.send()).toEqual([]);
    for (const d of others.slice(0, 50)) wire.answer(d);
    expect(wire.send()).toHaveLength(50);
  });

  it('adapt to the rate of answers, so that they are not resent repeatedly', () => {
    const wire = new Wire();
    const queue: number[] = [];
    let sent = 0;
    let acked = 0;
    // Five events a second, with a full backlog.
    for (let second = 0; second < 1200; second++) {
      wire.read(...many(wire.events.room).map((key) => `${second}/${key}`));
      const batch = wire.send();
      sent += batch.length;
      queue.push(...batch);
      for (const d of queue.splice(0, 5)) if (wire.answer(d)) acked++;
      wire.pass(1000);
    }
    expect(acked).toBeGreaterThan(5500);
    expect(sent - acked).toBeLessThan(0.1 * acked);
  });

  it('are due while one awaits its answer, or may be sent', () => {
    const wire = new Wire().read('a', 'a');
    expect(wire.events.isDue(wire.now)).toBe(true);
    wire.send();
    expect(wire.events.isDue(wire.now)).toBe(true);
    wire.answer(0, false);
    expect(wire.events.isDue(wire.now)).toBe(false);
    wire.pass(1000);
    expect(wire.events.isDue(wire.now)).toBe(true);
  });
});

describe('events that fail alone', () => {
  const leavingAfter = (wire: Wire, fail: (d: number) => void, rounds: number): number[] => {
    for (let round = 0; round < rounds; round++) {
      for (const d of wire.send()) fail(d);
      wire.pass(60_000);
    }
    return wire.events.leaving().flatMap((queue) => queue.map(({ d }) => d));
  };

  it('leave after their third refusal, with those that wait behind them', () => {
    const wire = new Wire().read('a', 'b', 'a');
    const refuse = (d: number) => wire.answer(d, d === 1);
    expect(leavingAfter(wire, refuse, 2)).toEqual([]);
    expect(leavingAfter(wire, refuse, 1)).toEqual([0, 2]);
    expect(wire.send()).toEqual([]);
    wire.events.markDeferred(wire.events.leaving().flat());
    expect([wire.events.size, wire.events.room]).toEqual([0, MAX_UNACKED]);
  });

  it('leave after three times without an answer, if others are acknowledged meanwhile', () => {
    const silent = new Wire().read('a');
    expect(leavingAfter(silent, () => undefined, 5)).toEqual([]);
    const wire = new Wire().read('a');
    for (let i = 0; i < 3; i++) {
      wire.read(`other${i}`);
      for (const d of wire.send()) if (d > 0) wire.answer(d);
      wire.pass(60_000);
    }
    expect(wire.events.leaving().flat()).toMatchObject([{ d: 0, strikes: 3 }]);
  });

  it.each([
    ['the post of several', 2, 'post-refused', []],
    ['its own post', 1, 'post-refused', [0]],
    ['its own post, by a server that is away for a moment', 1, 'unavailable', [0]],
  ] as const)('leave if %s fails while others are acknowledged', (_, events, how, left) => {
    const wire = new Wire().read(...many(events));
    for (let i = 0; i < 3; i++) {
      wire.send();
      wire.events.failed(
        many(events).map((_key, d) => `u${d}`),
        how,
        wire.now,
      );
      wire.read(`other${i}`);
      for (const d of wire.send()) wire.answer(d);
      wire.pass(60_000);
    }
    expect(wire.events.leaving().flatMap((queue) => queue.map(({ d }) => d))).toEqual(left);
  });

  it('stay when the stream breaks, however often', () => {
    const wire = new Wire().read('a');
    for (let i = 0; i < 10; i++) {
      wire.send();
      wire.events.connectionLost(wire.now);
      wire.pass(60_000);
    }
    expect([wire.events.leaving(), wire.events.size]).toEqual([[], 1]);
  });

  it('leave as well if the sum of the time and the wait is rounded', () => {
    const leaving = Array.from({ length: 50 }, (_, i) => {
      const wire = new Wire().read('a');
      wire.now = 2 ** 18 - 140_000 + i / 7;
      for (let nth = 0; nth < 3; nth++) {
        wire.read(`other${nth}`);
        for (const d of wire.send()) if (d > 0) wire.answer(d);
        wire.pass(60_000);
      }
      return wire.events.leaving().length;
    });
    expect(new Set(leaving)).toEqual(new Set([1]));
  });

  it('leave when all events of a full window have failed, but not while the subscriber is unavailable', () => {
    const failing = (how: 'post-refused' | 'unavailable'): Wire => {
      const wire = new Wire().read(...many(MAX_UNACKED));
      for (let sent = wire.send(), i = 0; i < 40; i++, sent = wire.send()) {
        wire.events.failed(
          sent.map((d) => `u${d}`),
          how,
          wire.now,
        );
        wire.pass(60_000);
      }
      return wire;
    };
    expect(failing('post-refused').events.makeRoom()).toBe(MADE_ROOM);
    expect(failing('unavailable').events.makeRoom()).toBe(0);
    expect(new Wire().read(...many(MAX_UNACKED)).events.makeRoom()).toBe(0);
  });

  it('leave like refused ones if they cannot be created', () => {
    const wire = new Wire().read('a');
    for (let i = 0; i < 3; i++) {
      for (const event of wire.events.dueEvents(wire.now)) wire.events.unmade(event, wire.now);
      wire.pass(60_000);
    }
    expect(wire.events.leaving().flat()).toHaveLength(1);
    expect(wire.events.inFlight).toBe(0);
  });
});

describe('deferred events in flight', () => {
  const deferred = (d: number) => ({ n: 0, e: 0, d, key: `deferred${d}`, enqueuedAt: 0, failures: 3, at: 0 });
  const sendAll = (wire: Wire): number => {
    const due = wire.events.dueEvents(wire.now);
    for (const event of due) wire.events.sent(event, `${event.isDeferred ? 'd' : 'u'}${event.d}`, wire.now);
    return due.filter(({ isDeferred }) => isDeferred).length;
  };

  it('take a quarter of the events in flight, and no place of the window', () => {
    const wire = new Wire().read(...many(200));
    expect(wire.events.deferredRoom).toBe(25);
    for (let d = 0; d < 25; d++) wire.events.addDeferred(deferred(d));
    expect([sendAll(wire), wire.events.inFlight, wire.events.size]).toEqual([25, 100, 200]);
    expect([...wire.events.all()]).toHaveLength(200);
    expect(wire.events.deferredRoom).toBe(0);
  });

  it('have one outcome: acknowledged, refused or late, and acknowledged late', () => {
    const wire = new Wire();
    for (let d = 0; d < 3; d++) wire.events.addDeferred(deferred(d));
    sendAll(wire);
    const ack = (d: number) => wire.events.acked(`d${d}`, wire.now);
    expect([ack(0), ack(0)]).toEqual([true, false]);
    wire.events.failed(['d1'], 'refused', wire.now);
    expect(wire.pass(ANSWER_MS).late).toBe(1);
    expect(wire.events.takeOutcomes().map(({ kind, event: { d, failures } }) => [kind, d, failures])).toEqual([
      ['over', 0, 3],
      ['failed', 1, 4],
      ['failed', 2, 4],
    ]);
    expect([ack(2), ack(2), wire.events.inFlight]).toEqual([true, false, 0]);
    expect(wire.events.takeOutcomes()).toMatchObject([{ kind: 'over', event: { d: 2 } }]);
  });

  it('are taken anew when the stream breaks before they are sent', () => {
    const wire = new Wire();
    wire.events.addDeferred(deferred(0));
    expect(wire.events.connectionLost(wire.now)).toBe(0);
    expect([wire.events.deferredKeys.size, wire.events.takeOutcomes()]).toEqual([0, []]);
  });
});
