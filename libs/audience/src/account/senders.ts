import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault, Platform } from '@tidings/kernel';

export interface Senders {
  readonly required: boolean;
  readonly verified: readonly string[];
}

export interface SendersAction extends Senders {
  readonly type: 'setSenders';
}

export const MAX_SENDERS = 1000;

const addressSettings = ['email_from_email', 'email_reply'] as const;

type Change = NonNullable<AccountEvent['event']>;

export function decideSenders(before: Senders | undefined, action: SendersAction): Change[] {
  const { required } = action;
  const verified = [...new Set(action.verified.map((address) => address.toLowerCase()))];
  if (verified.length > MAX_SENDERS) throw Fault.argument(`verified: at most ${MAX_SENDERS} entries`);
  const verifiedBefore = before?.verified ?? [];
  const isSame =
    verified.length === verifiedBefore.length && verified.every((address, i) => address === verifiedBefore[i]);
  if (isSame && required === (before?.required ?? false)) return [];
  return [{ $case: 'sendersSet', value: { required, verified } }];
}

export function checkSenders(
  { required, verified }: Senders = { required: false, verified: [] },
  { platform, settings }: { readonly platform: number; readonly settings: Readonly<Record<string, string>> },
): void {
  if (!required || platform !== Platform.Email) return;
  for (const name of addressSettings) {
    const address = settings[name];
    if (address !== undefined && !verified.includes(address.toLowerCase())) {
      throw Fault.argument(`${name}: address is not verified`);
    }
  }
}
