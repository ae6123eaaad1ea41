import { MessageAccepted, MessageEvent, type Offsets, topicNames } from '@tidings/events';
import { APP } from '@tidings/registry-store/testing';
import type { Broker } from '@tidings/streaming';

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

export async function release(broker: Broker, message: NewMessage, at: Date): Promise<void> {
  const records = eventsOf(message, at).map((event) => ({
    key: message.code,
    value: MessageEvent.encode(event).finish(),
  }));
  await broker.publish(topicNames.messages, records);
}

export async function stop(broker: Broker, message: NewMessage, at: Date): Promise<void> {
  const stopped: MessageEvent = { ...eventsOf(message, at)[1]!, event: { $case: 'stopped', value: {} } };
  await broker.publish(topicNames.messages, [{ key: message.code, value: MessageEvent.encode(stopped).finish() }]);
}

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
