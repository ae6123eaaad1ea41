import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { ownerOf } from './inbox-owner.ts';

export const inboxStatus: Handler<typeof api.inboxStatus, 'inbox' | 'inboxLimits'> = async (input, context, call) => {
  const { inbox_code: order, status, time } = input;
  const at = time && BigInt(Math.max(0, time.getTime()));
  const { unknown } = await context.inbox.setStatus({ owner: ownerOf(input, context, call), order, status, time: at });
  if (unknown) throw Fault.argument('Inbox message not found');
};
