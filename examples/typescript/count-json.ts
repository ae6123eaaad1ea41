// Counts the events of a message by name, from the topic of a kafka:// subscription with the format json, and prints JSON.
//   node count-json.ts BROKERS TOPIC MESSAGE_CODE
// Headers tell the message and the id of an event, so no record of another message is parsed.
import kafkajs from 'kafkajs';
import { countsOf } from './counts.ts';

const [brokers = '', topic = '', message = ''] = process.argv.slice(2);
const kafka = new kafkajs.Kafka({ clientId: 'count', brokers: brokers.split(','), logLevel: kafkajs.logLevel.ERROR });

const admin = kafka.admin();
await admin.connect();
/** The partitions with records that have not been read, with the offset of their last one. */
const unread = new Map<number, number>();
for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
  if (Number(low) < Number(high)) unread.set(partition, Number(high) - 1);

// Records may be repeated: the id identifies the event.
const names = new Map<string, string>();
const groupId = `count-${process.pid}-${Date.now()}`;
const consumer = kafka.consumer({ groupId });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
const read = Promise.withResolvers<void>();
if (unread.size === 0) read.resolve();
await consumer.run({
  autoCommit: false,
  eachMessage: async ({ partition, message: { offset, headers = {}, key, value } }) => {
    if (String(headers['ce_subject']) === message) {
      const { id, event, application_code: application, hwid } = JSON.parse(String(value)) as Record<string, string>;
      if (String(headers['ce_id']) !== id || String(key) !== `${application}/${hwid}`)
        throw new Error(`not the key of ${id}`);
      names.set(id, event!);
    }
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
