import { simulatedPhone, WHATSAPP_ERRORS } from '../../testing/test-simulators.ts';
import { type ChannelSubject, channelFeatures } from '../channel.features.ts';
import { replyFeatures, type ReplyOfToken } from '../reply.features.ts';
import { whatsAppChannel } from './whatsapp-channel.ts';

const subject: ChannelSubject = {
  name: 'whatsapp',
  platform: 21,
  protocol: 'HTTP/1.1',
  credentials: () => ({
    21: { settings: { whats_app_phone_number_id: '106540352242922', whats_app_access_token: 'EAAJB' } },
  }),
  open: (parts, { urlOf }) => whatsAppChannel({ ...parts, url: urlOf('whatsapp') }),
  token: (kind, n, argument) => `whatsapp:${simulatedPhone(kind, n, argument)}`,
  masks: false,
  hasTtl: false,
  invalidates: false,
  renews: false,
  expired: /^INVALID_CONFIGURATION 190 /,
  words: {
    dead: 'INVALID_TOKEN 131026 Message undeliverable',
    serverError: 'PROVIDER_ERROR 131000 Something went wrong',
  },
};

const codes = [...new Set(Object.values(WHATSAPP_ERRORS).map(({ code }) => code))];
const replies = codes.map((code, n): ReplyOfToken => [
  '#',
  String(code),
  `whatsapp:${simulatedPhone('reason', n, code)}`,
]);

channelFeatures(subject);
replyFeatures({ ...subject, provider: 'WhatsApp', replies });
