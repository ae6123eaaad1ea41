import { describe, expect, it } from '@jest/globals';
import { MessageAccepted, type MessageEvent } from '@tidings/events';
import { dayOf } from './inbox.ts';
import {
  cancelMessage,
  completeMessage,
  type CreateMessage,
  createMessage,
  evolveMessage,
  expiryOf,
  joinMessage,
  type JoinMessage,
  type Message,
  nextStepAt,
  purgeMessage,
  releaseMessage,
  releaseStep,
  type ReleaseStep,
} from './message.ts';

const DAY_MS = 86_400_000;
const at = new Date('2026-03-01T10:00:00Z');
const later = (ms: number): Date => new Date(at.getTime() + ms);
const command = (over: Partial<CreateMessage> = {}): CreateMessage => ({
  code: 'A000-00000000-00000001',
  id: 17,
  account: 'mine',
  at,
  draft: MessageAccepted.fromPartial({ applications: ['AAAAA-BBBBB'] }),
  ...over,
});
const evolved = (events: readonly MessageEvent[]): Message | undefined =>
  events.reduce<Message | undefined>((state, event) => evolveMessage(state, event), undefined);

describe('createMessage', () => {
  it('accepts and releases at once', () => {
    const { events, created } = createMessage(command(), undefined);
    expect(events.map((event) => event.event?.$case)).toEqual(['accepted', 'released']);
    expect(created).toEqual({ code: command().code, answer: command().code, repeat: false });
    expect(evolved(events)).toMatchObject({ status: 'PROCESSING', releasedAt: at, id: 17 });
  });

  it('answers CODE_NOT_AVAILABLE for a hidden message and keeps its real code', () => {
    const draft = MessageAccepted.fromPartial({ hidden: true });
    expect(createMessage(command({ draft }), undefined).created).toEqual({
      code: command().code,
      answer: 'CODE_NOT_AVAILABLE',
      repeat: false,
    });
  });

  it.each([
    [299_999, true],
    [300_000, false],
  ])('finds a transactionId claimed %i ms ago: repeat %s', (age, repeat) => {
    const transaction = { code: 'old', answer: 'CODE_NOT_AVAILABLE', at };
    const { events, created } = createMessage(command({ at: later(age) }), transaction);
    expect(events).toHaveLength(repeat ? 0 : 2);
    expect(created).toMatchObject(repeat ? { code: 'old', answer: 'CODE_NOT_AVAILABLE', repeat } : { repeat });
  });
});

describe('expiryOf', () => {
  it.each([
    ['365 days from the acceptance', {}, 365],
    ['365 days from the acceptance, if the send date is in the past', { sendAt: later(-DAY_MS) }, 365],
    ['365 days from a send date ahead', { sendAt: later(364 * DAY_MS) }, 729],
    ['7 days for a hidden message', { hidden: true }, 7],
  ])('keeps a message %s', (_, accepted, days) => {
    expect(expiryOf(MessageAccepted.fromPartial(accepted), at)).toEqual(later(days * DAY_MS));
  });

  it('keeps a hidden message as long as its entries in inboxes (R-I21)', () => {
    const removal = new Date('2040-01-01');
    const content = { inbox: { removalDay: dayOf(removal) } };
    const accepted = MessageAccepted.fromPartial({ hidden: true, content });
    expect(expiryOf(accepted, at)).toEqual(new Date(removal.getTime() + 1_000));
  });
});

describe('a scheduled message', () => {
  const draft = MessageAccepted.fromPartial({ applications: ['AAAAA-BBBBB'], sendAt: later(60_000) });
  const { events: creation } = createMessage(command({ draft }), undefined);
  const pending = evolved(creation);
  const after = (events: readonly MessageEvent[]) => events.reduce<Message | undefined>(evolveMessage, pending);

  it('is accepted and stays pending', () => {
    expect(creation.map((event) => event.event?.$case)).toEqual(['accepted']);
    expect(pending).toMatchObject({ status: 'PENDING', createdAt: at, accepted: { sendAt: later(60_000) } });
  });

  it('is released once, when it is due', () => {
    expect(releaseMessage(pending, later(59_999), 5n)).toEqual([]);
    const released = after(releaseMessage(pending, later(60_000), 5n));
    expect(released).toMatchObject({ status: 'PROCESSING', releasedAt: later(60_000) });
    expect(releaseMessage(released, later(60_001), 6n)).toEqual([]);
    expect(releaseMessage(undefined, at, 5n)).toEqual([]);
  });

  it('is canceled before it is released, and then never released', () => {
    const canceled = after(cancelMessage(pending, 'mine', later(1)));
    expect(canceled).toMatchObject({ status: 'CANCELED', canceledAt: later(1) });
    expect(releaseMessage(canceled, later(60_000), 5n)).toEqual([]);
  });

  it('is not canceled twice, not after its release, and not by another account (R-I29)', () => {
    const cancel =
      (message: Message | undefined, account = 'mine') =>
      () =>
        cancelMessage(message, account, later(60_000));
    expect(cancel(undefined)).toThrow('Message not found');
    expect(cancel(pending, 'other')).toThrow('Message not found');
    expect(cancel(after(cancelMessage(pending, 'mine', at)))).toThrow('Message cannot be deleted');
    expect(cancel(after(releaseMessage(pending, later(60_000), 5n)))).toThrow('Message cannot be deleted');
  });

  it('is released at once if its time has passed when it is accepted', () => {
    expect(evolved(createMessage(command({ draft, at: later(60_000) }), undefined).events)).toMatchObject({
      status: 'PROCESSING',
      releasedAt: later(60_000),
      accepted: { sendAt: later(60_000) },
    });
  });

  it('has its acceptance as send time if it is due at once', () => {
    expect(evolved(createMessage(command(), undefined).events)).toMatchObject({ accepted: { sendAt: at } });
  });
});

describe('completeMessage', () => {
  const processing = evolved(createMessage(command(), undefined).events);

  it('closes once', () => {
    const events = completeMessage(processing, later(5));
    expect(events.map((event) => event.event?.$case)).toEqual(['completed']);
    const done = events.reduce<Message | undefined>(evolveMessage, processing);
    expect(done).toMatchObject({ status: 'DONE', completedAt: later(5) });
    expect(completeMessage(done, later(9))).toEqual([]);
  });

  it('does not change an unknown message', () => {
    expect(completeMessage(undefined, at)).toEqual([]);
  });
});

describe('joinMessage', () => {
  const draft = MessageAccepted.fromPartial({
    applications: ['AAAAA-BBBBB'],
    source: 'GEO_ZONE',
    openUntil: later(1000),
    shortLink: 'abc',
    audience: { target: { $case: 'named', value: { seqs: [3] } }, platforms: [1] },
  });
  const join = (over: Partial<JoinMessage> = {}): JoinMessage => ({
    code: command().code,
    id: 17,
    account: 'mine',
    at,
    cause: 'visit 1',
    draft,
    ...over,
  });
  const opened = evolved(joinMessage(join(), undefined, false));

  it('opens a message with the first recipient, which only the event of joining names', () => {
    const events = joinMessage(join(), undefined, false);
    expect(events.map(({ event }) => event?.$case)).toEqual(['accepted', 'released', 'joined']);
    expect(opened).toMatchObject({ status: 'PROCESSING', joined: 1, createdAt: at });
    expect(opened!.accepted).toMatchObject({ audience: { target: undefined, platforms: [1] }, shortLink: '' });
    expect(events[2]!.event?.value).toMatchObject({ bucket: 1, cause: 'visit 1', message: draft });
  });

  it('numbers later recipients under the id of the message', () => {
    const [event] = joinMessage(join({ id: 99, cause: 'visit 2' }), opened, false);
    expect(event).toMatchObject({ id: 17n, event: { value: { bucket: 2 } } });
  });

  it('refuses a second join for one cause, and any join of a message that has all its recipients', () => {
    expect(joinMessage(join(), opened, true)).toEqual([]);
    expect(joinMessage(join(), evolved(createMessage(command(), undefined).events), false)).toEqual([]);
  });

  it('leaves a message done after a late join', () => {
    const done = completeMessage(opened, later(1000)).reduce<Message | undefined>(evolveMessage, opened);
    const late = joinMessage(join({ cause: 'visit 2' }), done, false);
    expect(late.reduce<Message | undefined>(evolveMessage, done)).toMatchObject({ status: 'DONE', joined: 2 });
  });
});

describe('purgeMessage (R-B2, R-S1)', () => {
  const accepted = createMessage(
    command({ draft: MessageAccepted.fromPartial({ applications: ['A', 'B'], source: 'API', conditions: 'said' }) }),
    undefined,
  ).events;
  const after = (message: Message | undefined, application: string): Message | undefined =>
    purgeMessage(message, application, later(5)).reduce<Message | undefined>(evolveMessage, message);
  const kinds = (message: Message | undefined, application: string) =>
    purgeMessage(message, application, later(5)).map(({ event }) => event?.$case);

  it('continues in the remaining applications', () => {
    const processing = evolved(accepted);
    expect(kinds(processing, 'A')).toEqual(['purged']);
    expect(after(processing, 'A')).toMatchObject({
      status: 'PROCESSING',
      releasedAt: at,
      accepted: { applications: ['B'], conditions: 'said' },
    });
  });

  it('fails with its last application while it is processed, and keeps no content', () => {
    const last = after(evolved(accepted), 'A');
    expect(kinds(last, 'B')).toEqual(['failed', 'purged']);
    const failed = after(last, 'B');
    expect(failed).toMatchObject({ status: 'FAIL', failedAt: later(5), purgedAt: later(5) });
    expect(failed!.accepted).toEqual(MessageAccepted.fromPartial({ answer: command().code }));
    expect(completeMessage(failed, later(9))).toEqual([]);
  });

  it('is canceled before it is due', () => {
    const pending = after(evolved(accepted.slice(0, 1)), 'A');
    expect(kinds(pending, 'B')).toEqual(['canceled', 'purged']);
    expect(after(pending, 'B')).toMatchObject({ status: 'CANCELED', canceledAt: later(5) });
  });

  it('stays done, and is purged once of an application that it addressed', () => {
    const done = completeMessage(evolved(accepted), later(1)).reduce<Message | undefined>(
      evolveMessage,
      evolved(accepted),
    );
    const purged = after(after(done, 'A'), 'B');
    expect(purged).toMatchObject({ status: 'DONE', completedAt: later(1), purgedAt: later(5) });
    for (const application of ['A', 'B', 'C']) expect(purgeMessage(purged, application, at)).toEqual([]);
    expect(purgeMessage(done, 'C', at)).toEqual([]);
    expect(purgeMessage(undefined, 'A', at)).toEqual([]);
  });
});

describe('releaseStep (R-I9, R-S2)', () => {
  const HOUR = 3_600_000;
  const wallAt = later(30 * HOUR);
  const localTime = { wallAt, defaultAt: wallAt, pastOffsets: 0 };
  const accepted = createMessage(
    command({ draft: MessageAccepted.fromPartial({ applications: ['A'], source: 'API', sendAt: wallAt, localTime }) }),
    undefined,
  ).events;
  const pending = evolved(accepted);
  const stepped = (message: Message | undefined, over: Partial<ReleaseStep>) =>
    releaseStep(message, {
      code: command().code,
      at: later(21 * HOUR),
      after: 0,
      areDue: true,
      inboxOrders: [50n, 51n],
      isLast: false,
      ...over,
    });
  const after = (message: Message | undefined, over: Partial<ReleaseStep>) =>
    stepped(message, over).reduce<Message | undefined>(evolveMessage, message);
  const tokyo = after(pending, {});

  it('is pending until the first step, whatever its date', () => {
    expect(accepted.map(({ event }) => event?.$case)).toEqual(['accepted']);
    expect(pending).toMatchObject({ status: 'PENDING', steps: { count: 0 } });
    expect(releaseMessage(pending, later(100 * HOUR), 9n)).toEqual([]);
    expect(nextStepAt(pending!)).toEqual(later(16 * HOUR));
    expect(tokyo).toMatchObject({
      status: 'PROCESSING',
      releasedAt: later(21 * HOUR),
      steps: { count: 1, until: later(21 * HOUR), areComplete: false },
    });
  });

  it('releases each step once, in any number of processes', () => {
    expect(stepped(tokyo, {})).toEqual([]);
    expect(stepped(tokyo, { after: 1 })).toEqual([]);
    expect(stepped(undefined, {})).toEqual([]);
  });

  it('continues until the last step, and is done only after it', () => {
    expect(completeMessage(tokyo, later(22 * HOUR))).toEqual([]);
    const last = after(tokyo, { at: later(29 * HOUR), after: 1, isLast: true });
    expect(last).toMatchObject({ status: 'PROCESSING', releasedAt: later(21 * HOUR), steps: { count: 3 } });
    expect(nextStepAt(last!)).toBeUndefined();
    expect(stepped(last, { at: later(30 * HOUR), after: 3 })).toEqual([]);
    const done = completeMessage(last, later(30 * HOUR)).reduce<Message | undefined>(evolveMessage, last);
    expect(done).toMatchObject({ status: 'DONE', steps: { areComplete: true } });
  });

  it('is canceled before the first step only (R-I29)', () => {
    const canceled = cancelMessage(pending, 'mine', later(1)).reduce<Message | undefined>(evolveMessage, pending);
    expect(canceled).toMatchObject({ status: 'CANCELED' });
    expect(stepped(canceled, {})).toEqual([]);
    expect(() => cancelMessage(tokyo, 'mine', later(22 * HOUR))).toThrow('Message cannot be deleted');
  });
});
