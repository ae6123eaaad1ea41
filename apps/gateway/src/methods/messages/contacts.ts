import { disposableFault, emailFault, type Notification } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import { UnknownContacts } from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';
import type { MessageOptions } from './message-request.ts';

const {
  UNKNOWN_CONTACTS_NOT_IN_PLAN: NOT_IN_PLAN,
  UNKNOWN_CONTACTS_REFUSE: REFUSE,
  UNKNOWN_CONTACTS_REGISTER: REGISTER,
} = UnknownContacts;

type ContactOptions = Pick<MessageOptions, 'unknownContacts' | 'unregistrable'>;

export function registering(
  { recipients }: Notification,
  { disposableDomains }: Pick<Context, 'disposableDomains'>,
  { application }: Call,
): ContactOptions {
  if (recipients.kind !== 'contacts') return {};
  if (recipients.platform !== Platform.Email) {
    return { unknownContacts: application?.emailOnly ? NOT_IN_PLAN : REGISTER };
  }
  const isMailable = (address: string): boolean =>
    emailFault(address) === undefined && disposableFault(address, disposableDomains) === undefined;
  return { unknownContacts: REGISTER, unregistrable: recipients.names.filter((name) => !isMailable(name)) };
}

export const refusing: ContactOptions = { unknownContacts: REFUSE };
