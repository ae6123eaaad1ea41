import { MessageAccepted, MessageEvent, topicNames } from '@tidings/events';

interface MessageRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
}

/** Times have neither audience nor content, so they are kept as long as figures (R-LM3). */
export function recordsOf(events: readonly MessageEvent[]): MessageRecord[] {
  const hidden = new Set(
    events.flatMap(({ code, event }) => (event?.$case === 'accepted' && event.value.hidden ? [code] : [])),
  );
  const messageRecords = events.map((event) => ({
    topic: topicNames.messages,
    key: event.activity === '' ? event.code : event.activity,
    value: MessageEvent.encode(event).finish(),
  }));
  const timeRecords = events.flatMap((event) => {
    const value = hidden.has(event.code) ? undefined : timesIn(event);
    return value
      ? [{ topic: topicNames.messageTimes, key: event.code, value: MessageEvent.encode(value).finish() }]
      : [];
  });
  // Dispatchers need not read the contents of all messages to learn of a stop.
  const stopRecords = events.flatMap((event) =>
    event.event?.$case === 'stopped'
      ? [{ topic: topicNames.stops, key: event.code, value: MessageEvent.encode(event).finish() }]
      : [],
  );
  return [...messageRecords, ...timeRecords, ...stopRecords];
}

function timesIn({ stamp, code, id, at, event }: MessageEvent): MessageEvent | undefined {
  const of = (content: MessageEvent['event']): MessageEvent => ({
    stamp,
    code,
    id,
    at,
    account: '',
    activity: '',
    event: content,
  });
  switch (event?.$case) {
    case 'accepted':
      return of({ $case: 'accepted', value: MessageAccepted.fromPartial({ sendAt: event.value.sendAt }) });
    case 'released':
    case 'purged':
      return of(event);
    default:
      return undefined;
  }
}
