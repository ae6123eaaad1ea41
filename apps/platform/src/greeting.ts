import { join } from 'node:path';
import type { Configuration } from '@tidings/runtime';
import { ADMIN_TOKEN_FILE } from './admin-token.ts';
import type { Platform } from './platform.ts';

type Greeted = Pick<Configuration, 'dataFolder' | 'adminToken' | 'providers'>;

const mailboxHint = `
Mail and SMS without a provider: npm run mailbox, in another terminal, catches them and shows them on a page
`;

/** Contains the secret only at the first start. */
export function greeting(
  { url, adminToken }: Pick<Platform, 'url' | 'adminToken'>,
  { dataFolder, adminToken: given, providers }: Greeted,
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
${providers.smtp === undefined ? mailboxHint : ''}
`;
}
