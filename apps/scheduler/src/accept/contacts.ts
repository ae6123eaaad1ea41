import { Platform } from '@tidings/kernel';
import type { Refused } from '@tidings/messaging';
import {
  type DeviceCommand,
  type Devices,
  faultOfView,
  type MessageRequest,
  Register,
  type ResolvedAudience,
  UnknownContacts,
} from '@tidings/rpc';

const BATCH_SIZE = 500;

type Contacts = { readonly platform: number; readonly names: readonly string[] };

const contactsOf = ({ recipients }: MessageRequest): Contacts | undefined =>
  recipients?.recipients?.$case === 'contacts' ? recipients.recipients.value : undefined;

export function refusedContacts(
  request: MessageRequest,
  { unknown: [unknown] }: ResolvedAudience,
): Refused | undefined {
  const contacts = contactsOf(request);
  if (!contacts || unknown === undefined) return undefined;
  switch (request.unknownContacts) {
    case UnknownContacts.UNKNOWN_CONTACTS_REFUSE:
      return { reason: 'notRegistered', field: 'recipients', entry: contacts.names.indexOf(unknown) };
    case UnknownContacts.UNKNOWN_CONTACTS_NOT_IN_PLAN:
      return { reason: 'emailOnlyPlan', field: 'request' };
    default:
      return undefined;
  }
}

export interface NewContacts {
  readonly platform: number;
  readonly hwids: readonly string[];
}

export function newContacts(request: MessageRequest, { unknown }: ResolvedAudience): NewContacts | undefined {
  const contacts = contactsOf(request);
  if (!contacts || request.unknownContacts !== UnknownContacts.UNKNOWN_CONTACTS_REGISTER) return undefined;
  const excluded = new Set(request.unregistrable);
  const hwids = unknown.filter((hwid) => !excluded.has(hwid));
  return hwids.length > 0 ? { platform: contacts.platform, hwids } : undefined;
}

const registrationOf = (account: string, application: string, hwid: string, platform: number): DeviceCommand => ({
  account,
  application,
  hwid,
  userId: '',
  idempotencyKey: '',
  platform: undefined,
  command: { $case: 'register', value: Register.fromPartial({ platform }) },
});

export async function registerContacts(
  devices: Pick<Devices, 'apply'>,
  { account, application }: { readonly account: string; readonly application: string },
  contacts: readonly NewContacts[],
): Promise<void> {
  const platforms = new Map(contacts.flatMap(({ platform, hwids }) => hwids.map((hwid) => [hwid, platform] as const)));
  const commands = [...platforms].map(([hwid, platform]) => registrationOf(account, application, hwid, platform));
  for (let i = 0; i < commands.length; i += BATCH_SIZE) {
    const part = commands.slice(i, i + BATCH_SIZE);
    const { replies } = await devices.apply({ commands: part });
    replies.forEach(({ fault: view }, index) => {
      const fault = view && faultOfView(view);
      const isIgnored = fault?.kind === 'argument' && platforms.get(part[index]!.hwid) === Platform.Email;
      if (fault && !isIgnored) throw fault;
    });
  }
}
