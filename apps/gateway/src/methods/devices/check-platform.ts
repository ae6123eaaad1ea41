import { disposableFault, EMAIL_ONLY } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { Register } from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';

/**
 * Why the operator does not allow a registration: the account's plan is e-mail only and this is something else (R-E3), or it is a contact
 * of mail in a disposable domain (R-E2, R-E4). Undefined where it is allowed.
 */
export function platformFault(
  { platform, pushToken }: { readonly platform: number | undefined; readonly pushToken?: string | undefined },
  { disposableDomains }: Context,
  { application }: Call,
): string | undefined {
  if (platform !== Platform.Email) return application?.emailOnly ? EMAIL_ONLY : undefined;
  return disposableFault(pushToken ?? '', disposableDomains);
}

/** @throws Fault `argument` where there is a {@link platformFault}. */
export function checkPlatform(device: Pick<Register, 'platform' | 'pushToken'>, context: Context, call: Call): void {
  const fault = platformFault(device, context, call);
  if (fault !== undefined) throw Fault.argument(fault);
}
