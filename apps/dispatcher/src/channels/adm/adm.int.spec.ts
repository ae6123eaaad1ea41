import { ADM_REASONS, ADM_TOKEN_PATH, specialReasonToken, specialToken } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { admChannel } from './adm-channel.ts';

const CLIENT = 'amzn1.application-oa2-client.1';

const subject: ChannelSubject = {
  name: 'adm',
  platform: 9,
  protocol: 'HTTP/1.1',
  credentials(simulators) {
    simulators.keys.register({ clients: [{ id: CLIENT, secret: 'secret' }] });
    return { 9: { settings: { adm_cid: CLIENT, adm_secret: 'secret' } } };
  },
  open(parts, simulators) {
    const url = simulators.urlOf('adm');
    return admChannel({ ...parts, url, tokenUrl: url + ADM_TOKEN_PATH });
  },
  token: (kind, n, argument) => specialToken(kind, n, argument),
  tokensFrom: 'adm',
  refuses: { fault: { tokenReply: 'invalidClient' }, outcome: 'INVALID_CONFIGURATION 0 access_refused' },
  words: {
    dead: 'INVALID_TOKEN 400 Unregistered',
    serverError: 'PROVIDER_ERROR 500 InternalServerError',
  },
};

const replies = Object.entries(ADM_REASONS).map(([reason, status], n): ReplyOfToken => [
  '#',
  status < 500 ? reason : String(status),
  specialReasonToken(reason, n),
]);

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'ADM', replies });
