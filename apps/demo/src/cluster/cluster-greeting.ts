import { redactedMongoUrl } from '@tidings/mongo';
import type { Cluster } from './cluster.ts';

export function clusterGreeting({ members, mongoUrl, kafkaBrokers }: Cluster): string {
  const width = Math.max(...members.map(({ name }) => name.length));
  const lines = members.map(
    ({ name, pid, grpcAddress, url }) => `${name.padEnd(width)}  pid ${pid}  gRPC ${grpcAddress}  health ${url}/readyz`,
  );
  return `\nMongoDB ${redactedMongoUrl(mongoUrl)}\nKafka ${kafkaBrokers}\n${lines.join('\n')}\n`;
}
