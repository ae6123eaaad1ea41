import { disposableFault, EMAIL_ONLY, pushUrlOf } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { Register } from '@tidings/rpc';
import type { Call, Context } from '../context.ts';

export function endpointFault(
  platform: number,
  pushToken: string,
  { addressGuard }: Pick<Context, 'addressGuard'>,
  path = 'push_token',
): string | undefined {
  const url = pushUrlOf(platform, pushToken);
  if (!url) return undefined;
  if (!addressGuard.allowsHost(url.hostname)) return `${path}: ${url.hostname} is not a public address`;
  return url.protocol === 'https:' || addressGuard.isOperatorNamed(url.hostname)
    ? undefined
    : `${path}: must begin with https://`;
}

export function platformFault(
  { platform, pushToken }: { readonly platform: number | undefined; readonly pushToken?: string | undefined },
  context: Pick<Context, 'addressGuard' | 'disposableDomains'>,
  { application }: Call,
  path?: string,
): string | undefined {
  if (platform === Platform.Email) return disposableFault(pushToken ?? '', context.disposableDomains);
  if (application?.emailOnly) return EMAIL_ONLY;
  return platform === undefined ? undefined : endpointFault(platform, pushToken ?? '', context, path);
}

export function checkPlatform(
  device: Pick<Register, 'platform' | 'pushToken'>,
  context: Pick<Context, 'addressGuard' | 'disposableDomains'>,
  call: Call,
  path?: string,
): void {
  const fault = platformFault(device, context, call, path);
  if (fault !== undefined) throw Fault.argument(fault);
}
