import { KakaoContent } from '@tidings/events';
import { simulatedPhone } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { kakaoChannel } from './kakao-channel.ts';

channelFeatures({
  name: 'kakao',
  platform: 22,
  http: 'HTTP/1.1',
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
    throttled: 'QUOTA_EXCEEDED 429 -9995 Too many requests.',
    serverError: 'PROVIDER_ERROR 500 -9999 System error.',
  },
});
