import { Platform } from '@tidings/kernel';
import { documentedReplies } from '@tidings/testing';
import { forgetfulReceipts } from '../../testing/forgetful-receipts.ts';
import { smsNumber, smsStatusNumber } from '../../testing/test-simulators.ts';
import { type ReplyOfToken, replyFeatures, type ReplySubject } from '../reply.features.ts';
import { smsChannel } from './sms-channel.ts';

const open: ReplySubject['open'] = (parts) =>
  smsChannel({
    ...parts,
    receipts: forgetfulReceipts,
    onError: (error) => {
      throw error;
    },
  });
const platform = Platform.Sms;

const codesOf = (provider: string): number[] =>
  documentedReplies()
    .filter((each) => each.provider === provider && each.phrase === '#')
    .map(({ codes: [code] }) => Number(code));

replyFeatures({
  name: 'smpp',
  provider: 'SMPP',
  platform,
  open,
  credentials: ({ urlOf }) => ({
    [platform]: {
      settings: {
        sms_smpp_host: '127.0.0.1',
        sms_smpp_port: new URL(urlOf('smpp')).port,
        sms_system_id: 'system',
        sms_password: 'secret',
        sms_sender: 'Shop',
      },
    },
  }),
  replies: codesOf('SMPP').map((status, n): ReplyOfToken => {
    const code = `0x${status.toString(16).toUpperCase().padStart(2, '0')}`;
    return ['#', code, smsStatusNumber(status, n)];
  }),
});

const FIRST_CODE = 21_600;

replyFeatures({
  name: 'sms',
  provider: 'Twilio',
  platform,
  open,
  credentials: ({ urlOf }) => ({
    [platform]: {
      settings: { sms_http_url: urlOf('sms'), sms_http_account: 'A', sms_http_token: 'secret', sms_sender: '+1' },
    },
  }),
  replies: [
    ...codesOf('Twilio')
      .filter((code) => code >= FIRST_CODE)
      .map((code, n): ReplyOfToken => ['#', String(code), smsStatusNumber(code - FIRST_CODE, n)]),
    ['#', '21211', smsNumber('dead', 50)],
    ['#', '20429', smsNumber('throttled', 51)],
  ],
});
