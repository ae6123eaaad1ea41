import { type BatchColumns, tokenOf } from '@tidings/delivery';
import { wnsChannelPath } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { wnsChannel } from './wns-channel.ts';

const client = { id: 'ms-app://s-1-15-2-1', secret: 'secret' };

/** The columns with complete channel URIs: tokens are made before the provider has a port. */
function channelsAt(origin: string, columns: BatchColumns): BatchColumns {
  const uris = Array.from({ length: columns.devices }, (_, i) => {
    const path = tokenOf(columns, i);
    return path === '' ? '' : origin + path;
  });
  let end = 0;
  return {
    ...columns,
    tokens: Buffer.from(uris.join('')),
    tokenEnds: Uint32Array.from(uris, (uri) => (end += uri.length)),
  };
}

channelFeatures({
  name: 'wns',
  platform: 8,
  credentials(simulators) {
    simulators.keys.register({ clients: [client] });
    return { 8: { settings: { wns_psid: client.id, wns_secret: client.secret } } };
  },
  open(parts, simulators) {
    const origin = simulators.urlOf('wns');
    const channel = wnsChannel({ ...parts, tokenUrl: `${origin}/accesstoken.srf` });
    return { ...channel, open: (job) => channel.open({ ...job, columns: channelsAt(origin, job.columns) }) };
  },
  token: (kind, n, argument) => wnsChannelPath(kind, n, argument),
  http: 'HTTP/1.1',
  masks: false,
  words: {
    dead: 'INVALID_TOKEN 410 Gone',
    throttled: 'QUOTA_EXCEEDED 406 NotAcceptable',
    serverError: 'PROVIDER_ERROR 500 InternalServerError',
  },
});
