import { ADM_TOKEN_PATH, specialToken } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { admChannel } from './adm-channel.ts';

const CLIENT = 'amzn1.application-oa2-client.1';

channelFeatures({
  name: 'adm',
  platform: 9,
  http: 'HTTP/1.1',
  credentials(simulators) {
    simulators.keys.register({ clients: [{ id: CLIENT, secret: 'secret' }] });
    return { 9: { settings: { adm_cid: CLIENT, adm_secret: 'secret' } } };
  },
  open(parts, simulators) {
    const url = simulators.urlOf('adm');
    return admChannel({ ...parts, url, tokenUrl: url + ADM_TOKEN_PATH });
  },
  token: (kind, n, argument) => specialToken(kind, n, argument),
  words: {
    dead: 'INVALID_TOKEN 400 Unregistered',
    throttled: 'QUOTA_EXCEEDED 429 MaxRateExceeded',
    serverError: 'PROVIDER_ERROR 500 InternalServerError',
  },
});
