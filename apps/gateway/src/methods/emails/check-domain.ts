import { disposableFault } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { Register } from '@tidings/rpc';
import type { Context } from '../../context.ts';

/** @throws Fault `argument` where what is registered is a contact of mail in a disposable domain (R-E2, R-E4). */
export function checkDomain(
  { platform, pushToken }: Pick<Register, 'platform' | 'pushToken'>,
  { disposableDomains }: Context,
): void {
  if (platform !== Platform.Email || pushToken === undefined) return;
  const fault = disposableFault(pushToken, disposableDomains);
  if (fault !== undefined) throw Fault.argument(fault);
}
