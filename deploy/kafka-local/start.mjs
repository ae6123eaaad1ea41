// Runs Kafka on this machine until it is told to stop; its address is the first line that it prints.
//   npm run kafka [-- folder [version]]     .tidings/kafka and the project's version unless said otherwise
import { once } from 'node:events';
import { startLocalKafka } from '@tidings/local-servers';

const [folder = '.tidings/kafka', version] = process.argv.slice(2);
const kafka = await startLocalKafka(folder, { version });
console.log(kafka.brokers);
// A process that waits for signals alone would end.
const alive = setInterval(() => undefined, 60_000);
await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
await kafka.stop();
clearInterval(alive);
