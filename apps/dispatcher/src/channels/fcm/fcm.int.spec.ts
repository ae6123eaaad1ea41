import { fcmToken, generateServiceAccount, publicKeyOf } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { fcmChannel } from './fcm-channel.ts';

/** Generated once: that takes long enough to delay other tests. */
const anyAccount = generateServiceAccount('');

channelFeatures({
  name: 'fcm',
  platform: 3,
  credentials(simulators) {
    const account = { ...anyAccount, token_uri: simulators.tokenUrl };
    simulators.keys.register({ google: [publicKeyOf(account)] });
    return { 3: { settings: { android_fcm_service_account: JSON.stringify(account) } } };
  },
  open: (parts, { fcmUrl }) => fcmChannel({ ...parts, url: fcmUrl }),
  token: (kind, n, argument) => fcmToken(kind, n, argument),
  words: {
    dead: 'INVALID_TOKEN 404 UNREGISTERED',
    throttled: 'QUOTA_EXCEEDED 429 QUOTA_EXCEEDED',
    serverError: 'PROVIDER_ERROR 500 INTERNAL',
  },
});
