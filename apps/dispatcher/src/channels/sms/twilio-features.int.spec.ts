import { Platform } from '@tidings/kernel';
import { smsWithoutReceipts } from '../../testing/sms-without-receipts.ts';
import { smsNumber } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';

channelFeatures({
  name: 'sms',
  platform: Platform.Sms,
  protocol: 'HTTP/1.1',
  masks: false,
  hasTtl: false,
  invalidates: false,
  renews: false,
  credentials: ({ urlOf }) => ({
    [Platform.Sms]: {
      settings: { sms_http_url: urlOf('sms'), sms_http_account: 'A', sms_http_token: 'secret', sms_sender: '+1' },
    },
  }),
  open: smsWithoutReceipts,
  token: (kind, n, argument) => smsNumber(kind, n, argument),
  expired: /^INVALID_CONFIGURATION 20003 /,
  words: {
    dead: 'INVALID_TOKEN 21211 invalid_to',
    serverError: 'PROVIDER_ERROR 500 20500',
  },
});
