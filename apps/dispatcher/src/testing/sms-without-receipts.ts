import type { Channel } from '../channels/channel-port.ts';
import { smsChannel } from '../channels/sms/sms-channel.ts';
import type { ChannelDeps } from './lane-world.ts';
import { forgetfulReceipts } from './forgetful-receipts.ts';

export const smsWithoutReceipts = (parts: ChannelDeps): Channel =>
  smsChannel({
    ...parts,
    receipts: forgetfulReceipts,
    onError: (error) => {
      throw error;
    },
  });
