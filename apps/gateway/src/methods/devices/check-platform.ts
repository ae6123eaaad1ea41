import { disposableFault, EMAIL_ONLY, pushHostOf } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { Register } from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';

/** Why a web push endpoint is refused: its address is in a network that callers must not make the service connect to (R-RES2). */
export function endpointFault(platform: number, pushToken: string, { addressGuard }: Context): string | undefined {
  const host = pushHostOf(platform, pushToken);
  return host === undefined || addressGuard.allowsHost(host)
    ? undefined
    : `push_token: ${host} is not a public address`;
}

/**
 * Why the operator does not allow a registration: the plan of the account is e-mail only and this is another platform (R-E3), the e-mail contact is
 * in a disposable domain (R-E2, R-E4), or the endpoint is in a private network. Undefined if it is allowed.
 */
export function platformFault(
  { platform, pushToken }: { readonly platform: number | undefined; readonly pushToken?: string | undefined },
  context: Context,
  { application }: Call,
): string | undefined {
  if (platform === Platform.Email) return disposableFault(pushToken ?? '', context.disposableDomains);
  if (application?.emailOnly) return EMAIL_ONLY;
  return platform === undefined ? undefined : endpointFault(platform, pushToken ?? '', context);
}

/** @throws Fault `argument` if there is a {@link platformFault}. */
export function checkPlatform(device: Pick<Register, 'platform' | 'pushToken'>, context: Context, call: Call): void {
  const fault = platformFault(device, context, call);
  if (fault !== undefined) throw Fault.argument(fault);
}
