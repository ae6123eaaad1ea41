import { describe, expect, it } from '@jest/globals';
import { MessageAccepted, type MessageEvent, type OffsetStep } from '@tidings/events';
import { givenEvents } from '@tidings/testing/given';
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
  stopMessage,
  type ReleaseStep,
} from './message.ts';

const DAY_MS = 86_400_000;
const CODE = 'A000-00000000-00000001';
const at = new Date('2026-03-01T10:00:00Z');
const later = (ms: number): Date => new Date(at.getTime() + ms);

const event = (change: MessageEvent['event']): MessageEvent => ({
  stamp: undefined,
  code: CODE,
  id: 17n,
  account: 'mine',
  activity: '',
  at,
  event: change,
});
const after = (ms: number, past: MessageEvent): MessageEvent => ({ ...past, at: later(ms) });
const accepted = (fields: Partial<MessageAccepted> = {}) =>
  event({ $case: 'accepted', value: { ...MessageAccepted.fromPartial({}), sendAt: at, answer: CODE, ...fields } });
const released = (inboxOrder = 0n, step?: OffsetStep) => event({ $case: 'released', value: { inboxOrder, step } });
const canceled = event({ $case: 'canceled', value: {} });
const stopped = event({ $case: 'stopped', value: {} });
const completed = event({ $case: 'completed', value: {} });
const failed = event({ $case: 'failed', value: {} });
const purged = (application: string, whole: boolean) => event({ $case: 'purged', value: { application, whole } });
const joined = (bucket: number, cause: string, message: MessageAccepted) =>
  event({ $case: 'joined', value: { bucket, cause, message } });

type Decision = (message: Message | undefined) => readonly MessageEvent[];

const command = (over: Partial<CreateMessage> = {}): CreateMessage => ({
  code: CODE,
  id: 17,
  account: 'mine',
  at,
  draft: MessageAccepted.fromPartial({ applications: ['AAAAA-BBBBB'] }),
  ...over,
});
const create =
  (over: Partial<CreateMessage> = {}): Decision =>
  () =>
    createMessage(command(over), undefined).events;
const release =
  (ms: number): Decision =>
  (message) =>
    releaseMessage(message, later(ms), 5n);
const cancel =
  (ms: number, account = 'mine'): Decision =>
  (message) =>
    cancelMessage(message, account, later(ms));
const complete =
  (ms: number): Decision =>
  (message) =>
    completeMessage(message, later(ms));

const stop =
  (ms: number): Decision =>
  (message) =>
    stopMessage(message, { at: later(ms), inboxOrder: 9n });

const given = givenEvents<Message | undefined, MessageEvent>(evolveMessage, undefined);

describe('createMessage', () => {
  it('accepts and releases at once', () => {
    const events = [accepted({ applications: ['AAAAA-BBBBB'] }), released()];
    given()
      .when(create())
      .then(...events);
    expect(createMessage(command(), undefined).created).toEqual({ code: CODE, answer: CODE, repeat: false });
    expect(given(...events).state).toMatchObject({ status: 'PROCESSING', releasedAt: at, id: 17 });
  });

  it('answers CODE_NOT_AVAILABLE for a hidden message and keeps its real code', () => {
    const draft = MessageAccepted.fromPartial({ hidden: true });
    given()
      .when(create({ draft }))
      .then(accepted({ hidden: true, answer: 'CODE_NOT_AVAILABLE' }), released());
    expect(createMessage(command({ draft }), undefined).created).toEqual({
      code: CODE,
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
  const pending = accepted({ applications: ['AAAAA-BBBBB'], sendAt: later(60_000) });

  it('is accepted and stays pending', () => {
    given().when(create({ draft })).then(pending);
    const { state } = given(pending);
    expect(state).toMatchObject({ status: 'PENDING', createdAt: at, accepted: { sendAt: later(60_000) } });
  });

  it('is released once, when it is due', () => {
    given(pending).when(release(59_999)).then();
    given(pending)
      .when(release(60_000))
      .then(after(60_000, released(5n)));
    const due = given(pending, after(60_000, released(5n)));
    expect(due.state).toMatchObject({ status: 'PROCESSING', releasedAt: later(60_000) });
    due.when(release(60_001)).then();
    given().when(release(0)).then();
  });

  it('is canceled before it is released, and then never released', () => {
    given(pending).when(cancel(1)).then(after(1, canceled));
    const ended = given(pending, after(1, canceled));
    expect(ended.state).toMatchObject({ status: 'CANCELED', canceledAt: later(1) });
    ended.when(release(60_000)).then();
  });

  it('is not canceled twice, not after its release, and not by another account (R-I29)', () => {
    given().when(cancel(60_000)).thenRefused('Message not found');
    given(pending).when(cancel(60_000, 'other')).thenRefused('Message not found');
    given(pending, canceled).when(cancel(60_000)).thenRefused('Message cannot be deleted');
    given(pending, after(60_000, released(5n)))
      .when(cancel(60_000))
      .thenRefused('Message cannot be deleted');
  });

  it('is released at once if its time has passed when it is accepted', () => {
    const events = [after(60_000, pending), after(60_000, released())];
    given()
      .when(create({ draft, at: later(60_000) }))
      .then(...events);
    expect(given(...events).state).toMatchObject({
      status: 'PROCESSING',
      releasedAt: later(60_000),
      accepted: { sendAt: later(60_000) },
    });
  });

  it('has its acceptance as send time if it is due at once', () => {
    const events = [accepted({ applications: ['AAAAA-BBBBB'], sendAt: at }), released()];
    given()
      .when(create())
      .then(...events);
    expect(given(...events).state).toMatchObject({ accepted: { sendAt: at } });
  });
});

describe('completeMessage', () => {
  it('closes once', () => {
    given(accepted(), released()).when(complete(5)).then(after(5, completed));
    const done = given(accepted(), released(), after(5, completed));
    expect(done.state).toMatchObject({ status: 'DONE', completedAt: later(5) });
    done.when(complete(9)).then();
  });

  it('does not change an unknown message', () => {
    given().when(complete(0)).then();
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
  const join =
    (over: Partial<JoinMessage> = {}, hasJoined = false): Decision =>
    (message) =>
      joinMessage({ code: CODE, id: 17, account: 'mine', at, cause: 'visit 1', draft, ...over }, message, hasJoined);
  const audience = { target: undefined, platforms: [1] };
  const opening = [
    event({ $case: 'accepted', value: { ...draft, audience, shortLink: '', answer: CODE } }),
    released(),
    joined(1, 'visit 1', draft),
  ];

  it('opens a message with the first recipient, which only the event of joining names', () => {
    given()
      .when(join())
      .then(...opening);
    const { state } = given(...opening);
    expect(state).toMatchObject({ status: 'PROCESSING', joined: 1, createdAt: at });
    expect(state!.accepted).toMatchObject({ audience, shortLink: '' });
  });

  it('numbers later recipients under the id of the message', () => {
    given(...opening)
      .when(join({ id: 99, cause: 'visit 2' }))
      .then(joined(2, 'visit 2', draft));
  });

  it('refuses a second join for one cause, and any join of a message that has all its recipients', () => {
    given(...opening)
      .when(join({}, true))
      .then();
    given(accepted(), released()).when(join()).then();
  });

  it('leaves a message done after a late join', () => {
    given(...opening)
      .when(complete(1000))
      .then(after(1000, completed));
    const done = [...opening, after(1000, completed)];
    given(...done)
      .when(join({ cause: 'visit 2' }))
      .then(joined(2, 'visit 2', draft));
    expect(given(...done, joined(2, 'visit 2', draft)).state).toMatchObject({ status: 'DONE', joined: 2 });
  });
});

describe('purgeMessage (R-B2, R-S1)', () => {
  const pending = accepted({ applications: ['A', 'B'], source: 'API', conditions: '[]' });
  const purge =
    (application: string): Decision =>
    (message) =>
      purgeMessage(message, application, later(5));
  const first = after(5, purged('A', false));
  const last = after(5, purged('B', true));

  it('continues in the remaining applications', () => {
    given(pending, released()).when(purge('A')).then(first);
    expect(given(pending, released(), first).state).toMatchObject({
      status: 'PROCESSING',
      releasedAt: at,
      accepted: { applications: ['B'], conditions: '[]' },
    });
  });

  it('fails with its last application while it is processed, and keeps no content', () => {
    const ends = [after(5, failed), last];
    given(pending, released(), first)
      .when(purge('B'))
      .then(...ends);
    const ended = given(pending, released(), first, ...ends);
    expect(ended.state).toMatchObject({ status: 'FAIL', failedAt: later(5), purgedAt: later(5) });
    expect(ended.state!.accepted).toEqual(MessageAccepted.fromPartial({ answer: CODE }));
    ended.when(complete(9)).then();
  });

  it('is canceled before it is due', () => {
    given(pending).when(purge('A')).then(first);
    const ends = [after(5, canceled), last];
    given(pending, first)
      .when(purge('B'))
      .then(...ends);
    expect(given(pending, first, ...ends).state).toMatchObject({ status: 'CANCELED', canceledAt: later(5) });
  });

  it('stays done, and is purged once of an application that it addressed', () => {
    const done = given(pending, released(), after(1, completed));
    done.when(purge('A')).then(first);
    done.when(purge('C')).then();
    given(pending, released(), after(1, completed), first).when(purge('B')).then(last);
    const gone = given(pending, released(), after(1, completed), first, last);
    expect(gone.state).toMatchObject({ status: 'DONE', completedAt: later(1), purgedAt: later(5) });
    for (const application of ['A', 'B', 'C']) gone.when(purge(application)).then();
    given().when(purge('A')).then();
  });
});

describe('releaseStep (R-I9, R-S2)', () => {
  const HOUR = 3_600_000;
  const wallAt = later(30 * HOUR);
  const localTime = { wallAt, defaultAt: wallAt, pastOffsets: 0 };
  const draft = MessageAccepted.fromPartial({ applications: ['A'], source: 'API', sendAt: wallAt, localTime });
  const pending = event({ $case: 'accepted', value: { ...draft, answer: CODE } });
  const step =
    (over: Partial<ReleaseStep> = {}): Decision =>
    (message) =>
      releaseStep(message, {
        code: CODE,
        at: later(21 * HOUR),
        after: 0,
        areDue: true,
        inboxOrders: [50n, 51n],
        isLast: false,
        ...over,
      });
  const stepEvent = (hours: number, inboxOrder: bigint, of: OffsetStep) =>
    after(hours * HOUR, released(inboxOrder, of));
  /** Seconds east of UTC. */
  const offsets = (from: number, to: number) => ({ ranges: [{ from, to }], without: false });
  const tokyo = stepEvent(21, 50n, { bucket: 1, offsets: offsets(32_370, 50_429), last: false });
  const lastSteps = [
    stepEvent(29, 50n, { bucket: 2, offsets: offsets(3_570, 32_369), last: false }),
    stepEvent(29, 51n, { bucket: 3, offsets: undefined, last: true }),
  ];

  it('is pending until the first step, whatever its date', () => {
    given().when(create({ draft })).then(pending);
    const before = given(pending);
    expect(before.state).toMatchObject({ status: 'PENDING', steps: { count: 0 } });
    before.when(release(100 * HOUR)).then();
    expect(nextStepAt(before.state!)).toEqual(later(16 * HOUR));
    before.when(step()).then(tokyo);
    expect(given(pending, tokyo).state).toMatchObject({
      status: 'PROCESSING',
      releasedAt: later(21 * HOUR),
      steps: { count: 1, until: later(21 * HOUR), areComplete: false },
    });
  });

  it('releases each step once, in any number of processes', () => {
    given(pending, tokyo).when(step()).then();
    given(pending, tokyo)
      .when(step({ after: 1 }))
      .then();
    given().when(step()).then();
  });

  it('continues until the last step, and is done only after it', () => {
    const stepped = given(pending, tokyo);
    stepped.when(complete(22 * HOUR)).then();
    stepped.when(step({ at: later(29 * HOUR), after: 1, isLast: true })).then(...lastSteps);
    const last = given(pending, tokyo, ...lastSteps);
    expect(last.state).toMatchObject({ status: 'PROCESSING', releasedAt: later(21 * HOUR), steps: { count: 3 } });
    expect(nextStepAt(last.state!)).toBeUndefined();
    last.when(step({ at: later(30 * HOUR), after: 3 })).then();
    last.when(complete(30 * HOUR)).then(after(30 * HOUR, completed));
    const done = given(pending, tokyo, ...lastSteps, after(30 * HOUR, completed));
    expect(done.state).toMatchObject({ status: 'DONE', steps: { areComplete: true } });
  });

  it('is canceled before the first step only (R-I29)', () => {
    given(pending).when(cancel(1)).then(after(1, canceled));
    const ended = given(pending, after(1, canceled));
    expect(ended.state).toMatchObject({ status: 'CANCELED' });
    ended.when(step()).then();
    given(pending, tokyo)
      .when(cancel(22 * HOUR))
      .thenRefused('Message cannot be deleted');
  });

  it('is released to all others by a stop, at once', () => {
    const rest = after(22 * HOUR, released(9n, { bucket: 2, offsets: undefined, last: true }));
    given(pending, tokyo)
      .when(stop(22 * HOUR))
      .then(rest, after(22 * HOUR, stopped));
    const ended = given(pending, tokyo, rest, after(22 * HOUR, stopped));
    expect(ended.state).toMatchObject({ status: 'PROCESSING', steps: { areComplete: true } });
    ended.when(step({ at: later(29 * HOUR), after: 2 })).then();
    given(pending).when(stop(1)).then(after(1, canceled));
  });
});

describe('stopMessage', () => {
  const sending = [accepted({ applications: ['AAAAA-BBBBB'] }), released()];

  it('stops a message once, which is done like others', () => {
    given(...sending)
      .when(stop(5))
      .then(after(5, stopped));
    const once = given(...sending, after(5, stopped));
    expect(once.state).toMatchObject({ status: 'PROCESSING', stoppedAt: later(5) });
    once.when(stop(6)).then();
    once.when(complete(7)).then(after(7, completed));
    const done = given(...sending, after(5, stopped), after(7, completed));
    expect(done.state).toMatchObject({ status: 'DONE', stoppedAt: later(5) });
    done.when(stop(8)).then();
  });

  it('leaves complete, failed and canceled messages as they are', () => {
    for (const end of [completed, failed])
      given(...sending, end)
        .when(stop(5))
        .then();
    given(accepted({ sendAt: later(60) }), canceled)
      .when(stop(5))
      .then();
  });

  it('cancels a scheduled message', () => {
    given(accepted({ sendAt: later(60) }))
      .when(stop(5))
      .then(after(5, canceled));
  });

  it('knows no other message', () => {
    given().when(stop(5)).thenRefused('Message not found');
  });

  it('lets no more recipients join', () => {
    const draft = MessageAccepted.fromPartial({ openUntil: later(1_000) });
    const join: Decision = (message) =>
      joinMessage({ code: CODE, id: 17, account: 'mine', at: later(9), cause: 'c', draft }, message, false);
    const open = [accepted({ openUntil: later(1_000) }), released()];
    expect(join(given(...open).state)).toHaveLength(1);
    given(...open, after(5, stopped))
      .when(join)
      .then();
  });
});
