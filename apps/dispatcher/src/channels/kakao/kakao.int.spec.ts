import { KakaoContent } from '@tidings/events';
import { simulatedPhone } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { kakaoChannel } from './kakao-channel.ts';

const subject: ChannelSubject = {
  name: 'kakao',
  platform: 22,
  protocol: 'HTTP/1.1',
  content: { kakao: KakaoContent.fromPartial({ template: 'order' }) },
  credentials: () => ({
    22: { settings: { kakao_sender_key: 'sender', kakao_app_key: 'app', kakao_secret_key: 'secret' } },
  }),
  open: (parts, { urlOf }) => kakaoChannel({ ...parts, url: urlOf('kakao') }),
  token: (kind, n, argument) => `kakao:${simulatedPhone(kind, n, argument).slice(1)}`,
  masks: false,
  hasTtl: false,
  invalidates: false,
  renews: false,
  expired: /^INVALID_CONFIGURATION -1001 /,
  words: {
    dead: 'INVALID_TOKEN -1022 The recipient is not valid.',
    serverError: 'PROVIDER_ERROR 500 -9999 System error.',
  },
};

const kakaoOf = (code: number): string => `kakao:${simulatedPhone('reason', code, code).slice(1)}`;
const replies: readonly ReplyOfToken[] = [
  ['# of the recipient', '-1022', kakaoOf(1022)],
  ...[1000, 1001, 1006].map((code): ReplyOfToken => ['# of the request', `-${code}`, kakaoOf(code)]),
  ...[1017, 2001, 3002, 3003, 3049].map((code): ReplyOfToken => ['#', `-${code}`, kakaoOf(code)]),
  ['another code of the recipient', '', kakaoOf(4000)],
];

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'Kakao', replies });
