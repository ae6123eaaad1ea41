import { Platform } from '@tidings/kernel';
import { smsWithoutReceipts } from '../../testing/sms-without-receipts.ts';
import { smsNumber } from '../../testing/test-simulators.ts';
import { channelFeatures } from '../channel.features.ts';
import { WINDOW } from './smpp-link.ts';

channelFeatures({
  name: 'smpp',
  platform: Platform.Sms,
  protocol: 'SMPP',
  masks: false,
  atMostOnce: true,
  hasTtl: false,
  invalidates: false,
  renews: false,
  // ESME_RTHROTTLED has no time.
  throttle: 'unstated',
  // All messages share the bind.
  inDoubtMax: WINDOW,
  credentials: ({ urlOf }) => ({
    [Platform.Sms]: {
      settings: {
        sms_smpp_host: new URL(urlOf('smpp')).hostname,
        sms_smpp_port: new URL(urlOf('smpp')).port,
        sms_system_id: 'system',
        sms_password: 'secret',
        sms_sender: 'Shop',
      },
    },
  }),
  // The real store is in smpp.int.spec.ts, whose tests share its collections and so run in turn.
  open: smsWithoutReceipts,
  token: (kind, n, argument) => smsNumber(kind, n, argument),
  expired: /^INVALID_CONFIGURATION 0x0F ESME_RINVSYSID$/,
  refuses: { fault: { answer: '0x0D' }, outcome: 'INVALID_CONFIGURATION 0x0D ESME_RBINDFAIL' },
  words: {
    dead: 'INVALID_TOKEN 0x0B ESME_RINVDSTADR',
    serverError: 'PROVIDER_ERROR 0x45 ESME_RSUBMITFAIL',
    // The bind ends with it.
    unreadable: /^INTERNAL_ERROR 0 unknown_outcome$/,
  },
});
