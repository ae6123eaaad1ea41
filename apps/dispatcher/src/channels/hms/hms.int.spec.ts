import { HMS_CODES, HMS_TOKEN_PATH, specialReasonToken, specialToken } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { hmsChannel } from './hms-channel.ts';

const APP = '100000001';

const subject: ChannelSubject = {
  name: 'hms',
  platform: 17,
  protocol: 'HTTP/1.1',
  credentials(simulators) {
    simulators.keys.register({ clients: [{ id: APP, secret: 'secret' }] });
    return { 17: { settings: { huawei_app_id: APP, huawei_app_secret: 'secret' } } };
  },
  open(parts, simulators) {
    const url = simulators.urlOf('hms');
    return hmsChannel({ ...parts, url, tokenUrl: url + HMS_TOKEN_PATH });
  },
  token: (kind, n, argument) => specialToken(kind, n, argument),
  expired: /^INVALID_CONFIGURATION 80200003 /,
  tokensFrom: 'hms',
  refuses: { fault: { tokenReply: 'invalidClient' }, outcome: 'INVALID_CONFIGURATION 0 access_refused' },
  words: {
    dead: 'INVALID_TOKEN 80300007 All the tokens are invalid',
    serverError: 'PROVIDER_ERROR 81000001 System inner error',
  },
};

const codes = Object.keys(HMS_CODES).filter((code) => /^8\d+$/.test(code) && !['80100000', '80600003'].includes(code));
const replies: readonly ReplyOfToken[] = [
  ...codes.map((code, n): ReplyOfToken => ['#', code, specialReasonToken(code, n)]),
  ['# that lists the token', '80100000', specialReasonToken('80100000', 30)],
  ['HTTP # without a code', '503', specialReasonToken('TRAFFIC_CONTROL', 31)],
];

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'Push Kit', replies });
