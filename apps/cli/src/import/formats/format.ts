import { addressKindOf } from '@tidings/kernel';
import type { Row } from '../row.ts';
import type { Subscriber } from '../outcome.ts';

export interface FormatContext {
  /** Type by name, of the account's tags. */
  readonly tags: ReadonlyMap<string, number>;
}

export interface Format {
  readonly title: string;
  /** Columns without which the file is none of this format. */
  readonly required: readonly string[];
  /** @param key normalized */
  readonly knows: (key: string) => boolean;
  /** A text is the reason for which the row is skipped. */
  readonly read: (row: Row, context: FormatContext) => Subscriber | string;
}

/** Contacts are known by their address, devices by the subscription that they had. */
export function identityOf(
  vendor: string,
  { platform, id, address }: { readonly platform: number; readonly id: string; readonly address: string },
): { readonly hwid: string; readonly push_token: string } {
  const kind = addressKindOf(platform);
  const isContact = kind === 'email' || kind === 'phone';
  return { hwid: isContact ? address : id && `${vendor}:${id}`, push_token: kind === 'phone' ? '' : address };
}
