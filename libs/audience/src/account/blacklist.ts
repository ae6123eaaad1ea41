import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';

/** Whether mail goes to an address, for the whole account (R-E5). Who it is stands nowhere. */
export interface AddressState {
  readonly kind: 'address';
  readonly account: string;
  /** Keyed hash of the address in lower case: the `th` of its contacts. */
  readonly address: string;
  /** Since when it has been on the blacklist. Absent = it was taken off. */
  readonly since?: Date | undefined;
}

export interface BlacklistAction {
  /** Blacklisting what is on the list already changes nothing; clearing what is not on it is a Fault `notFound`. */
  readonly type: 'blacklistAddress' | 'clearAddress';
  readonly address: string;
}

type Change = NonNullable<AccountEvent['event']>;

/** What follows for an address. Pure. */
export function decideAddress(state: AddressState | undefined, { type, address }: BlacklistAction): Change[] {
  const isListed = state?.since !== undefined;
  switch (type) {
    case 'blacklistAddress':
      return isListed ? [] : [{ $case: 'addressBlacklisted', value: { address } }];
    case 'clearAddress':
      if (!isListed) throw Fault.notFound('Address is not blacklisted');
      return [{ $case: 'addressCleared', value: { address } }];
  }
}

/** The address after the event. */
export function evolveAddress(
  state: AddressState | undefined,
  { account, event, at = new Date(0) }: AccountEvent,
): AddressState | undefined {
  switch (event?.$case) {
    case 'addressBlacklisted':
      return { kind: 'address', account, address: event.value.address, since: at };
    case 'addressCleared':
      return { kind: 'address', account, address: event.value.address };
    default:
      return state;
  }
}
