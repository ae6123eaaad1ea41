import type { KeyObject } from 'node:crypto';
import { definitions, type LineCredential } from '@tidings/channels';
import type { ConnectionSettings, ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import type { Channel } from '../channel-port.ts';
import type { Credentials } from '../credentials/credential-cache.ts';
import { fixedToken, http1Channel } from '../http1-channel.ts';
import { retryKeysOf } from './retry-key.ts';

export interface LineDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  readonly url?: string | undefined;
  readonly ca?: readonly string[] | undefined;
}

const LINE = 'https://api.line.me';
const PATH = '/v2/bot/message/push';

/** LINE answers a request for several users without naming a refused one. */
export const lineChannel = ({ url = LINE, ...deps }: LineDeps): Channel =>
  http1Channel<LineCredential>({
    ...deps,
    channel: 'line',
    definition: definitions.line,
    url: () => url,
    tokensOf: ({ accessToken }) => fixedToken(accessToken),
    requestsWith({ token, job: { batch, columns } }) {
      const shared = ['authorization', `Bearer ${token}`, 'content-type', 'application/json'];
      const keyOf = retryKeysOf(batch);
      const seqOf = (device: number): number => columns.chunk * 65_536 + columns.positions[device]!;
      return (device) => ({ path: PATH, shared, own: ['x-line-retry-key', keyOf(seqOf(device))] });
    },
  });
