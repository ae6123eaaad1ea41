import { HMS_TOKEN_PATH, specialToken } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { hmsChannel } from './hms-channel.ts';

const APP = '100000001';

channelFeatures({
  name: 'hms',
  platform: 17,
  http: 'HTTP/1.1',
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
  words: {
    dead: 'INVALID_TOKEN 80300007 All the tokens are invalid',
    throttled: 'QUOTA_EXCEEDED 80300011 The frequency of messages is too high',
    serverError: 'PROVIDER_ERROR 81000001 System inner error',
  },
});
