// Counts the events of a message by name, as a consumer that dials in, and prints JSON when it is asked to end (SIGTERM, Ctrl-C).
//   node count-grpc.ts ADDRESS API_TOKEN SUBSCRIPTION MESSAGE_CODE JOURNAL
// An acknowledged event does not come again, so each is written to the journal before it is acknowledged. A killed run continues from there.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Client, credentials, Metadata, type StatusObject } from '@grpc/grpc-js';
import { countsOf } from './counts.ts';
import { type Answer, type Event, subscribe } from './events.ts';

const [address = '', token = '', subscription = '', message = '', journal = ''] = process.argv.slice(2);

/** The event of a line; none in one that a kill has cut off: it was not acknowledged, and comes again. */
function entryOf(line: string): [uuid: string, name: string][] {
  try {
    return [JSON.parse(line) as [string, string]];
  } catch {
    return [];
  }
}
const names = new Map(existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').flatMap(entryOf) : []);

const finish = (): never => {
  process.stdout.write(`${JSON.stringify(countsOf(names))}\n`);
  process.exit();
};
process.once('SIGTERM', finish);
process.once('SIGINT', finish);

const metadata = new Metadata();
metadata.set('authorization', `Token ${token}`);
metadata.set('subscription', subscription);
const { path, requestSerialize, responseDeserialize } = subscribe;
const stream = new Client(address, credentials.createInsecure()).makeBidiStreamRequest<Answer, Event>(
  path,
  requestSerialize,
  responseDeserialize,
  metadata,
);
stream.on('metadata', () => process.stderr.write('accepted\n'));
stream.on('data', ({ uuid, event_name: name, message_code: code }: Event) => {
  if (code === message && !names.has(uuid)) {
    names.set(uuid, name);
    // The line begins with its end: what a kill has cut off spoils no other line.
    appendFileSync(journal, `\n${JSON.stringify([uuid, name])}`);
    process.stderr.write(`${names.size} events\n`);
  }
  stream.write({ uuid, status: 'ok' });
});
// The status tells the reason.
stream.on('error', () => undefined);
stream.on('status', ({ code, details }: StatusObject) => {
  process.stderr.write(`ended: ${code} ${details}\n`);
  process.exitCode = 1;
});
