import { fcmReasonToken, fcmToken, generateServiceAccount, publicKeyOf } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { fcmChannel } from './fcm-channel.ts';

/** Generated once: that takes long enough to delay other tests. */
const anyAccount = generateServiceAccount('');

const subject: ChannelSubject = {
  name: 'fcm',
  platform: 3,
  credentials(simulators) {
    const account = { ...anyAccount, token_uri: simulators.tokenUrl };
    simulators.keys.register({ google: [publicKeyOf(account)] });
    return { 3: { settings: { android_fcm_service_account: JSON.stringify(account) } } };
  },
  open: (parts, { fcmUrl }) => fcmChannel({ ...parts, url: fcmUrl }),
  token: (kind, n, argument) => fcmToken(kind, n, argument),
  tokensFrom: 'google-oauth',
  refuses: { fault: { answer: 'invalid_grant' }, outcome: 'INVALID_CONFIGURATION 0 access_refused' },
  words: {
    dead: 'INVALID_TOKEN 404 UNREGISTERED',
    serverError: 'PROVIDER_ERROR 500 INTERNAL',
  },
};

const codes = ['UNREGISTERED', 'SENDER_ID_MISMATCH', 'QUOTA_EXCEEDED', 'UNAVAILABLE', 'INTERNAL'] as const;
const replies: readonly ReplyOfToken[] = [
  ...[...codes, 'THIRD_PARTY_AUTH_ERROR' as const, 'UNSPECIFIED_ERROR' as const].map((code, n): ReplyOfToken => [
    '#',
    code,
    fcmReasonToken(code, n),
  ]),
  ['# that blames the token', 'INVALID_ARGUMENT', fcmReasonToken('INVALID_TOKEN', 20)],
  ['# that blames the token', 'INVALID_ARGUMENT', fcmReasonToken('INVALID_TOKEN_BARE', 21)],
  ['another #', 'INVALID_ARGUMENT', fcmReasonToken('INVALID_ARGUMENT', 22)],
  ['# without a code', '403', fcmReasonToken('PERMISSION_DENIED', 23)],
  ['# without a code', '404', fcmReasonToken('NOT_FOUND', 24)],
  ['# without a code', '401', fcmReasonToken('UNAUTHENTICATED', 25)],
];

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'FCM', replies });
