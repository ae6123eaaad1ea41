import { type BatchColumns, tokenOf } from '@tidings/delivery';
import { type WnsReason, WNS_REASONS, wnsChannelPath, wnsReasonPath } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { wnsChannel } from './wns-channel.ts';

const client = { id: 'ms-app://s-1-15-2-1', secret: 'secret' };

/** Tokens are made before the provider has a port. */
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

const subject: ChannelSubject = {
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
  protocol: 'HTTP/1.1',
  masks: false,
  // The access token goes only to names of Microsoft.
  isNamed: false,
  tokensFrom: 'wns',
  refuses: { fault: { tokenReply: 'invalidClient' }, outcome: 'INVALID_CONFIGURATION 0 access_refused' },
  words: {
    dead: 'INVALID_TOKEN 410 Gone',
    serverError: 'PROVIDER_ERROR 500 InternalServerError',
  },
};

const replies = (Object.keys(WNS_REASONS) as WnsReason[])
  .filter((reason) => WNS_REASONS[reason] < 500)
  .map((reason, n): ReplyOfToken => {
    const status = WNS_REASONS[reason];
    return status === 200
      ? ['# with the status #', `200 ${reason.toLowerCase()}`, wnsReasonPath(reason, n)]
      : ['#', String(status), wnsReasonPath(reason, n)];
  });

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'WNS', replies });
