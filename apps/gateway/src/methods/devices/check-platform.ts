import { disposableFault, EMAIL_ONLY } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { Register } from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';

/**
 * Checks a registration against what the operator allows.
 * @throws Fault `argument` where the account's plan is e-mail only and this is something else (R-E3), or where it is a contact of mail in a
 * disposable domain (R-E2, R-E4).
 */
export function checkPlatform(
  { platform, pushToken }: Pick<Register, 'platform' | 'pushToken'>,
  { disposableDomains }: Context,
  { application }: Call,
): void {
  if (platform !== Platform.Email) {
    if (application?.emailOnly) throw Fault.argument(EMAIL_ONLY);
    return;
  }
  const fault = disposableFault(pushToken ?? '', disposableDomains);
  if (fault !== undefined) throw Fault.argument(fault);
}
