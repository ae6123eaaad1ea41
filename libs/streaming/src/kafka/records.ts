import type { KafkaMessage } from 'kafkajs';
import type { Headers, InRecord } from '../broker-port.ts';

const NOTHING = Buffer.alloc(0);

export function recordOf(topic: string, partition: number, message: KafkaMessage): InRecord {
  const record = {
    topic,
    partition,
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key?.toString() ?? '',
    value: message.value ?? NOTHING,
  };
  const headers = headersOf(message);
  return headers ? { ...record, headers } : record;
}

function headersOf({ headers }: KafkaMessage): Headers | undefined {
  for (const _ in headers) {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  }
  return undefined;
}
