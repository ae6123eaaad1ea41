import { APNS_REASONS, apnsReasonToken, apnsToken, generateApnsKey } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { apnsChannel } from './apns-channel.ts';

const key = generateApnsKey();

const subject: ChannelSubject = {
  name: 'apns',
  platform: 1,
  credentials(simulators) {
    simulators.keys.register({ apns: [key] });
    return {
      1: {
        settings: {
          ios_key_file: Buffer.from(key.privateKey).toString('base64'),
          ios_key_password: '',
          ios_gateway: '1',
          ios_bundle_id: 'com.example.app',
          ios_key_id: key.keyId,
          ios_team_id: key.teamId,
        },
      },
    };
  },
  open: (parts, { apnsUrl }) => apnsChannel({ ...parts, urls: { production: apnsUrl } }),
  token: (kind, n, argument) => apnsToken(kind, n, argument),
  words: {
    dead: 'INVALID_TOKEN 410 Unregistered',
    serverError: 'PROVIDER_ERROR 500 InternalServerError',
  },
};

const replies = APNS_REASONS.map(([reason], n): ReplyOfToken => ['#', reason, apnsReasonToken(reason, n)]);

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'APNs', replies });
