import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';

/** The address itself is not stored (R-E5, R-E14). */
export interface AddressState {
  readonly kind: 'address';
  readonly account: string;
  readonly address: string;
  readonly since?: Date | undefined;
  readonly complained?: Date | undefined;
}

export interface AddressAction {
  /** Clearing what is not set is a Fault `notFound`. */
  readonly type: 'blacklistAddress' | 'clearAddress' | 'recordComplaint' | 'clearComplaint';
  readonly address: string;
}

type Change = NonNullable<AccountEvent['event']>;

export function decideAddress(state: AddressState | undefined, { type, address }: AddressAction): Change[] {
  switch (type) {
    case 'blacklistAddress':
      return state?.since ? [] : [{ $case: 'addressBlacklisted', value: { address } }];
    case 'clearAddress':
      if (!state?.since) throw Fault.notFound('Address is not blacklisted');
      return [{ $case: 'addressCleared', value: { address } }];
    case 'recordComplaint':
      return state?.complained ? [] : [{ $case: 'addressComplained', value: { address } }];
    case 'clearComplaint':
      if (!state?.complained) throw Fault.notFound('Address has no complaint');
      return [{ $case: 'complaintCleared', value: { address } }];
  }
}

export function evolveAddress(
  state: AddressState | undefined,
  { account, event, at = new Date(0) }: AccountEvent,
): AddressState | undefined {
  switch (event?.$case) {
    case 'addressBlacklisted':
      return { kind: 'address', account, ...state, address: event.value.address, since: at };
    case 'addressCleared':
      return { kind: 'address', account, ...state, address: event.value.address, since: undefined };
    case 'addressComplained':
      return { kind: 'address', account, ...state, address: event.value.address, complained: at };
    case 'complaintCleared':
      return { kind: 'address', account, ...state, address: event.value.address, complained: undefined };
    default:
      return state;
  }
}
