// Counts the events of a message by name, from the topic of a kafka:// subscription, and prints JSON.
//   node count-kafka.ts BROKERS TOPIC MESSAGE_CODE
// The topic itself is the record: a run reads it from the start to its current end, and a killed run is simply repeated.
import kafkajs from 'kafkajs';
import { countsOf } from './counts.ts';
import { subscribe } from './events.ts';

const [brokers = '', topic = '', message = ''] = process.argv.slice(2);
const kafka = new kafkajs.Kafka({ clientId: 'count', brokers: brokers.split(','), logLevel: kafkajs.logLevel.ERROR });

const admin = kafka.admin();
await admin.connect();
/** The partitions with records that have not been read, with the offset of their last one. */
const unread = new Map<number, number>();
for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
  if (Number(low) < Number(high)) unread.set(partition, Number(high) - 1);

// Records may be repeated: the uuid identifies the event.
const names = new Map<string, string>();
const groupId = `count-${process.pid}-${Date.now()}`;
const consumer = kafka.consumer({ groupId });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
const read = Promise.withResolvers<void>();
if (unread.size === 0) read.resolve();
await consumer.run({
  autoCommit: false,
  eachMessage: async ({ partition, message: { offset, value } }) => {
    const event = subscribe.responseDeserialize(value!);
    if (event.message_code === message) names.set(event.uuid, event.event_name);
    process.stderr.write(`${names.size} events\n`);
    if (Number(offset) >= (unread.get(partition) ?? Infinity)) unread.delete(partition);
    if (unread.size === 0) read.resolve();
  },
});
await read.promise;
process.stdout.write(`${JSON.stringify(countsOf(names))}\n`);

await consumer.disconnect();
await admin.deleteGroups([groupId]);
await admin.disconnect();
