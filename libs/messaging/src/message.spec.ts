import { describe, expect, it } from '@jest/globals';
import { MessageAccepted, type MessageEvent } from '@tidings/events';
import { completeMessage, type CreateMessage, createMessage, evolveMessage, type Message } from './message.ts';

const at = new Date('2026-03-01T10:00:00Z');
const later = (ms: number): Date => new Date(at.getTime() + ms);
const command = (over: Partial<CreateMessage> = {}): CreateMessage => ({
  code: 'A000-00000000-00000001',
  id: 17,
  account: 'acme',
  at,
  draft: MessageAccepted.fromPartial({ applications: ['AAAAA-BBBBB'] }),
  ...over,
});
const fold = (events: readonly MessageEvent[]): Message | undefined =>
  events.reduce<Message | undefined>((state, event) => evolveMessage(state, event), undefined);

describe('createMessage', () => {
  it('accepts and releases at once', () => {
    const { events, created } = createMessage(command(), undefined);
    expect(events.map((event) => event.event?.$case)).toEqual(['accepted', 'released']);
    expect(created).toEqual({ code: command().code, answer: command().code, repeat: false });
    expect(fold(events)).toMatchObject({ status: 'PROCESSING', releasedAt: at, id: 17 });
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
  ])('meets a transactionId claimed %i ms ago: repeat %s', (age, repeat) => {
    const transaction = { code: 'old', answer: 'CODE_NOT_AVAILABLE', at };
    const { events, created } = createMessage(command({ at: later(age) }), transaction);
    expect(events).toHaveLength(repeat ? 0 : 2);
    expect(created).toMatchObject(repeat ? { code: 'old', answer: 'CODE_NOT_AVAILABLE', repeat } : { repeat });
  });
});

describe('completeMessage', () => {
  const processing = fold(createMessage(command(), undefined).events);

  it('closes once', () => {
    const events = completeMessage(processing, later(5));
    expect(events.map((event) => event.event?.$case)).toEqual(['completed']);
    const done = events.reduce<Message | undefined>(evolveMessage, processing);
    expect(done).toMatchObject({ status: 'DONE', completedAt: later(5) });
    expect(completeMessage(done, later(9))).toEqual([]);
  });

  it('leaves an unknown message alone', () => {
    expect(completeMessage(undefined, at)).toEqual([]);
  });
});
