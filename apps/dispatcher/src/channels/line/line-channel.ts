import { definitions, type LineCredential } from '@tidings/channels';
import type { Channel } from '../channel-port.ts';
import { fixedToken, http1Channel, type Http1Deps } from '../http1-channel.ts';
import { retryKeysOf } from './retry-key.ts';

const LINE = 'https://api.line.me';
const PATH = '/v2/bot/message/push';

/** LINE answers a request for several users without naming a refused one. */
export const lineChannel = ({ url = LINE, ...deps }: Http1Deps): Channel =>
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
