import { type AdmCredential, definitions } from '@tidings/channels';
import { tokenOf } from '@tidings/delivery';
import type { Channel } from '../channel-port.ts';
import { AccessToken } from '../credentials/access-token.ts';
import { clientCredentialsGrant } from '../credentials/grants.ts';
import { http1Channel, type OAuthDeps } from '../http1-channel.ts';

const ADM = 'https://api.amazon.com';
const TOKEN = 'https://api.amazon.com/auth/O2/token';
const SCOPE = 'messaging:push';

/** Amazon documents HTTP/1.1. */
export const admChannel = ({ url = ADM, tokenUrl = TOKEN, postProvider: postForm, ...deps }: OAuthDeps): Channel =>
  http1Channel<AdmCredential>({
    ...deps,
    channel: 'adm',
    definition: definitions.adm,
    url: () => url,
    tokensOf({ clientId: id, clientSecret: secret }) {
      const grant = clientCredentialsGrant(tokenUrl, { id, secret, scope: SCOPE });
      return new AccessToken({ grant, postForm, clock: deps.clock });
    },
    requestsWith({ token, job: { columns } }) {
      const shared = headersWith(token);
      return (device) => ({ path: pathOf(tokenOf(columns, device)), shared, own: [] });
    },
  });

const pathOf = (registrationId: string): string =>
  `/messaging/registrations/${encodeURIComponent(registrationId)}/messages`;

const headersWith = (accessToken: string): readonly string[] => [
  ...['authorization', `Bearer ${accessToken}`],
  ...['content-type', 'application/json', 'accept', 'application/json'],
  ...['x-amzn-type-version', 'com.amazon.device.messaging.ADMMessage@1.0'],
  ...['x-amzn-accept-type', 'com.amazon.device.messaging.ADMSendResult@1.0'],
];
