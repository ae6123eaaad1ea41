import { definitions, type HmsCredential } from '@tidings/channels';
import type { OutgoingRequest } from '@tidings/http2';
import type { Channel } from '../channel-port.ts';
import { AccessToken } from '../credentials/access-token.ts';
import { clientCredentialsGrant } from '../credentials/grants.ts';
import { http1Channel, type OAuthDeps } from '../http1-channel.ts';

const PUSH_KIT = 'https://push-api.cloud.huawei.com';
const TOKEN = 'https://oauth-login.cloud.huawei.com/oauth2/v3/token';

/** Huawei documents HTTP/1.1. */
export const hmsChannel = ({ url = PUSH_KIT, tokenUrl = TOKEN, postProvider: postForm, ...deps }: OAuthDeps): Channel =>
  http1Channel<HmsCredential>({
    ...deps,
    channel: 'hms',
    definition: definitions.hms,
    url: () => url,
    tokensOf: ({ appId: id, appSecret: secret }) =>
      new AccessToken({ grant: clientCredentialsGrant(tokenUrl, { id, secret }), postForm, clock: deps.clock }),
    requestsWith({ credential, token }) {
      const request = requestWith(credential.appId, token);
      return () => request;
    },
  });

const requestWith = (appId: string, accessToken: string): OutgoingRequest => ({
  path: `/v1/${encodeURIComponent(appId)}/messages:send`,
  shared: ['authorization', `Bearer ${accessToken}`, 'content-type', 'application/json; charset=UTF-8'],
  own: [],
});
