import type { KeyObject } from 'node:crypto';
import { definitions, inLanguage, type WnsCredential } from '@tidings/channels';
import type { ConnectionSettings, ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import { PayloadWriter } from '@tidings/messaging';
import type { AddressGuard } from '@tidings/runtime';
import { systemTimers } from '../../timers.ts';
import type { Channel } from '../channel-port.ts';
import { AccessToken } from '../credentials/access-token.ts';
import type { Credentials } from '../credentials/credential-cache.ts';
import { clientCredentialsGrant } from '../credentials/grants.ts';
import type { PostForm } from '../post-form.ts';
import { PreparedCredentials } from '../prepared.ts';
import { PushServices } from '../webpush/push-services.ts';
import { WnsSender } from './wns-sender.ts';

export interface WnsDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  readonly postProvider: PostForm;
  readonly addresses: AddressGuard;
  readonly tokenUrl?: string | undefined;
  readonly ca?: readonly string[] | undefined;
}

const TOKEN_URL = 'https://login.live.com/accesstoken.srf';
const SCOPE = 'notify.windows.com';

const { wns } = definitions;

export function wnsChannel(deps: WnsDeps): Channel {
  const { clock, addresses, ca, connectHttp1, postProvider, tokenUrl = TOKEN_URL } = deps;
  const services = new PushServices({
    connect: (origin) => connectHttp1({ url: origin, tls: ca ? { ca: [...ca] } : {}, lookup: addresses.lookup }),
    timers: systemTimers,
  });
  const credentials = new PreparedCredentials<WnsCredential, AccessToken>({
    channel: 'wns',
    stored: deps.credentials,
    definition: wns.credential,
    tokensOf: ({ sid: id, secret }) =>
      new AccessToken({
        grant: clientCredentialsGrant(tokenUrl, { id, secret, scope: SCOPE }),
        postForm: postProvider,
        clock,
      }),
  });
  const writer = new PayloadWriter();
  return {
    async open(job) {
      const prepared = await credentials.of(job.batch.credential);
      return 'category' in prepared ? prepared : new WnsSender({ ...deps, job, prepared, services, writer });
    },
    ttlSeconds: (batch, language) => wns.ttlSecondsOf(inLanguage(batch, language)),
    renew: (reference) => credentials.renew(reference),
    applications: () => credentials.applications(),
    forget: (application) => credentials.forget(application),
    close: () => services.close(),
  };
}
