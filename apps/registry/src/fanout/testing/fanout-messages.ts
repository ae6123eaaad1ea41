import {
  type Audience,
  type Expression,
  MessageAccepted,
  MessageEvent,
  type Offsets,
  Operator,
  TagType,
  topicNames,
} from '@tidings/events';
import type { Broker } from '@tidings/streaming';
import type { DeviceDocument } from '../../devices/storage/device-document.ts';

export const APP = 'AAAAA-BBBBB';
export const device = (seq: number, over: Partial<DeviceDocument> = {}): DeviceDocument => ({
  _id: `${APP}:${String(seq).padStart(22, 'A')}`,
  rev: 1,
  account: 'a',
  app: APP,
  hwidHash: String(seq).padStart(22, 'A'),
  seq,
  status: 1,
  hwid: `hwid-${seq}`,
  platform: seq % 3 === 0 ? 3 : 1,
  token: `token-${seq}`,
  user: 'u',
  lang: 'en',
  cg: 0,
  tags: [{ k: 70, v: seq % 2 }],
  owners: [],
  createdAt: 0,
  ...over,
});

export const even: Expression = {
  node: {
    $case: 'tag',
    value: {
      tag: 70,
      type: TagType.TAG_TYPE_INTEGER,
      operator: Operator.OPERATOR_EQ,
      operands: [{ value: { $case: 'number', value: 0 } }],
      application: '',
    },
  },
};

export const selection = (expression?: Expression): Audience => ({
  target: { $case: 'selection', value: { expression, circle: undefined, activity: '', bySiblings: false } },
  platforms: [],
});
export const named = (...seqs: number[]): Audience => ({
  target: { $case: 'named', value: { seqs, byApplication: [] } },
  platforms: [],
});

let messages = 0;
export const newMessage = (accepted: Partial<MessageAccepted>) => {
  const number = ++messages;
  const code = `${(number % 16).toString(16).toUpperCase()}000-00000000-${String(number).padStart(8, '0')}`;
  return { code, id: BigInt(number), accepted: { ...MessageAccepted.create(), applications: [APP], ...accepted } };
};
export type NewMessage = ReturnType<typeof newMessage>;

export const eventsOf = ({ code, id, accepted }: NewMessage, at: Date): MessageEvent[] => {
  const event = (of: MessageEvent['event']): MessageEvent => ({
    stamp: undefined,
    code,
    id,
    account: 'a',
    activity: '',
    at,
    event: of,
  });
  const released = { inboxOrder: 0n, step: undefined };
  return [event({ $case: 'accepted', value: accepted }), event({ $case: 'released', value: released })];
};

/** Has a message accepted and released. */
export async function release(broker: Broker, message: NewMessage, at: Date): Promise<void> {
  const records = eventsOf(message, at).map((event) => ({
    key: message.code,
    value: MessageEvent.encode(event).finish(),
  }));
  await broker.publish(topicNames.messages, records);
}

/** Devices with these offsets from UTC, in hours. */
export const around = (...hours: number[]): Offsets => ({
  ranges: hours.map((each) => ({ from: each * 3_600 - 30, to: each * 3_600 + 29 })),
  without: false,
});

/** Has a message with a local time accepted, and released in these steps. */
export async function releaseSteps(
  broker: Broker,
  message: NewMessage,
  at: Date,
  steps: readonly Offsets[],
): Promise<void> {
  const [accepted, released] = eventsOf(message, at);
  const stepped = steps.map((offsets, i): MessageEvent => {
    const step = { bucket: i + 1, offsets, last: false };
    return { ...released!, event: { $case: 'released', value: { inboxOrder: 0n, step } } };
  });
  const records = [accepted!, ...stepped].map((event) => ({
    key: message.code,
    value: MessageEvent.encode(event).finish(),
  }));
  await broker.publish(topicNames.messages, records);
}

export const platform = (code: number) => ({
  platform: code,
  enabled: true,
  credentialVersion: 1,
  settings: {},
  sealed: {},
});
