import type { InboxOwner } from '@tidings/rpc';
import type { Call } from '../../context.ts';

/** The owner of the inbox that a request names; without a token the application determines the account (R-J1). */
export const ownerOf = (
  { application, userId, hwid = '' }: { readonly application: string; userId: string; hwid?: string | undefined },
  call: Call,
): InboxOwner => ({ account: call.application?.account ?? call.account, application, userId, hwid });
