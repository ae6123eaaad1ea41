import { join } from 'node:path';
import { shownMongoUrl } from '@tidings/mongo';
import type { Configuration } from '@tidings/runtime';
import { ADMIN_TOKEN_FILE } from './admin-token.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { Platform } from './platform.ts';
import { isLocalOnly } from './web-push-demo/local-address.ts';

type Greeted = Pick<Configuration, 'dataFolder' | 'adminToken' | 'providers'>;

const mailboxHint = `
Mail and SMS without a provider: npm run mailbox, in another terminal, catches them and shows them on a page
`;

/** The address of the page of web push, which the embedded mode serves to this machine; undefined if it is not served. */
export const pageOf = (url: string, reach: Pick<Configuration, 'host' | 'publicUrl'>): string | undefined =>
  isLocalOnly(reach) ? `${url}/demo/web-push` : undefined;

/**
 * The greeting at the start. It contains the secret only at the first start, which generates it; the printed call works unchanged.
 * @param page address of the page of web push @default it is not served
 */
export function greeting(
  { url, adminToken }: Pick<Platform, 'url' | 'adminToken'>,
  { dataFolder, adminToken: given, providers }: Greeted,
  page?: string,
): string {
  const file = join(dataFolder, ADMIN_TOKEN_FILE);
  const token = adminToken.made
    ? `made now and shown this once: ${adminToken.secret}`
    : given === undefined
      ? `the one that the first start has shown; it is kept in ${file}`
      : 'the one in TIDINGS_ADMIN_TOKEN';
  const secret = adminToken.made
    ? adminToken.secret
    : given === undefined
      ? `$(cat '${file}')`
      : '$TIDINGS_ADMIN_TOKEN';
  return `
Tidings is ready at ${url}
Data: ${dataFolder}
Administrator token: ${token}

A first call, which makes a token for your backend:
  curl -s ${url}/admin/v1/tokens -H "Authorization: Bearer ${secret}" -d '{"scope":"api","applications":"all"}'
${providers.smtp === undefined ? mailboxHint : ''}${page === undefined ? '' : `\nA push to your browser: ${page}\n`}
`;
}

/** The addresses of the processes of a cluster. */
export function clusterGreeting({ members, mongoUrl, kafkaBrokers }: Cluster): string {
  const width = Math.max(...members.map(({ name }) => name.length));
  const lines = members.map(
    ({ name, pid, grpcAddress, url }) => `${name.padEnd(width)}  pid ${pid}  gRPC ${grpcAddress}  health ${url}/readyz`,
  );
  return `\nMongoDB ${shownMongoUrl(mongoUrl)}\nKafka ${kafkaBrokers}\n${lines.join('\n')}\n`;
}
