import { lineReasonUser, lineUser } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { lineChannel } from './line-channel.ts';

const TOKEN = 'channel-access-token+/=';

const subject: ChannelSubject = {
  name: 'line',
  platform: 23,
  credentials(simulators) {
    simulators.keys.register({ clients: [{ id: 'line', secret: TOKEN }] });
    return { 23: { settings: { line_channel_access_token: TOKEN } } };
  },
  open: (parts, simulators) => lineChannel({ ...parts, url: simulators.urlOf('line') }),
  token: (kind, n, argument) => lineUser(kind, n, argument),
  renews: false,
  protocol: 'HTTP/1.1',
  hasTtl: false,
  invalidates: false,
  words: {
    dead: "INVALID_TOKEN 400 The property, 'to', in the request body is invalid (line: -, column: -)",
    serverError: 'PROVIDER_ERROR 500 The error occurred on the internal server',
  },
};

const replies: readonly ReplyOfToken[] = [
  ['# that names #', '400 to', lineReasonUser('InvalidRecipient', 1)],
  ['another #', '400', lineReasonUser('InvalidMessage', 2)],
  ['#', '401', lineReasonUser('Unauthorized', 3)],
  ['#', '403', lineReasonUser('Forbidden', 4)],
  ['#', '409', lineReasonUser('Conflict', 5)],
  ['# for the limit of the month', '429', lineReasonUser('MonthlyLimit', 6)],
  ['another #', '429', lineReasonUser('RateLimit', 7)],
  ['#', '500', lineReasonUser('InternalServerError', 8)],
];

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'LINE', replies });
