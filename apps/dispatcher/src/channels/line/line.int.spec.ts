import { lineUser } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { lineChannel } from './line-channel.ts';

const TOKEN = 'channel-access-token+/=';

channelFeatures({
  name: 'line',
  platform: 23,
  credentials(simulators) {
    simulators.keys.register({ clients: [{ id: 'line', secret: TOKEN }] });
    return { 23: { settings: { line_channel_access_token: TOKEN } } };
  },
  open: (parts, simulators) => lineChannel({ ...parts, url: simulators.urlOf('line') }),
  token: (kind, n, argument) => lineUser(kind, n, argument),
  renews: false,
  http: 'HTTP/1.1',
  hasTtl: false,
  invalidates: false,
  words: {
    dead: "INVALID_TOKEN 400 The property, 'to', in the request body is invalid (line: -, column: -)",
    throttled: 'QUOTA_EXCEEDED 429 The API rate limit has been exceeded. Try again later.',
    serverError: 'PROVIDER_ERROR 500 The error occurred on the internal server',
  },
});
