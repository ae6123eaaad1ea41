import { Fault } from '@tidings/kernel';
import type { InboxOwner } from '@tidings/rpc';
import { FORBID } from '../../auth/authorize.ts';
import type { Call, Context } from '../../context.ts';

export function ownerOf(
  { application, userId, hwid = '' }: { readonly application: string; userId: string; hwid?: string | undefined },
  { inboxLimits }: Pick<Context, 'inboxLimits'>,
  call: Call,
): InboxOwner {
  if (call.application?.inboxTokenRequired && call.credentials?.token.scope !== 'device') throw Fault.forbidden(FORBID);
  if (!call.credentials) inboxLimits.take(application, call.address, userId);
  return { account: call.application?.account ?? call.account, application, userId, hwid };
}
