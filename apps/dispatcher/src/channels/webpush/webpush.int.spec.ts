import {
  generateVapidKeys,
  type WebPushReason,
  WEB_PUSH_REASONS,
  webPushReasonSubscription,
  webPushSubscription,
} from '../../testing/test-simulators.ts';
import { type BatchColumns, tokenOf } from '@tidings/delivery';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { webPushChannel } from './webpush-channel.ts';

const vapid = generateVapidKeys();

function endpointsAt(origin: string, columns: BatchColumns): BatchColumns {
  const endpoints = Array.from({ length: columns.devices }, (_, i) => origin + tokenOf(columns, i));
  let end = 0;
  return {
    ...columns,
    tokens: Buffer.from(endpoints.join('')),
    tokenEnds: Uint32Array.from(endpoints, (endpoint) => (end += endpoint.length)),
  };
}

const subject: ChannelSubject = {
  name: 'webpush',
  platform: 11,
  credentials(simulators) {
    simulators.keys.register({ vapid: [vapid.publicKey] });
    return { 11: { settings: { chrome_vapid_key: vapid.publicKey, chrome_vapid_private_key: vapid.privateKey } } };
  },
  open(parts, { webPushUrl }) {
    const channel = webPushChannel({ ...parts, subject: 'mailto:ops@example.com' });
    return { ...channel, open: (job) => channel.open({ ...job, columns: endpointsAt(webPushUrl, job.columns) }) };
  },
  // Only the path: tokens are made before the push service has a port.
  token: (kind, n, argument) => webPushSubscription(kind, n, argument).path,
  columns(kind, n, argument) {
    const { publicKey, authToken } = webPushSubscription(kind, n, argument);
    return new Map([
      ['publicKey', publicKey],
      ['authToken', authToken],
    ]);
  },
  renews: false,
  words: {
    dead: 'INVALID_TOKEN 410 Gone',
    serverError: 'PROVIDER_ERROR 500 InternalServerError',
  },
};

const replies = (Object.keys(WEB_PUSH_REASONS) as WebPushReason[])
  .filter((reason) => WEB_PUSH_REASONS[reason] < 500)
  .map((reason, n): ReplyOfToken => {
    const { path, publicKey, authToken } = webPushReasonSubscription(reason, n);
    const columns = new Map(Object.entries({ publicKey, authToken }));
    return ['#', String(WEB_PUSH_REASONS[reason]), path, columns];
  });

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'Web push', replies });
