import { defaultTags } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import { DEAD_LINK, type LinkedRecipient } from './mail-links.ts';

const { unsubscribedEmails, unsubscribedCategories } = defaultTags;

/** The choices of an e-mail contact, by its tags (R-RES17). */
export interface Preferences {
  readonly address: string;
  /** Whether the contact gets no marketing at all. */
  readonly unsubscribed: boolean;
  /** Categories that it does not get. */
  readonly excluded: readonly string[];
  /** Categories that the operator offers; if none, the categories that the contact does not get and may choose again. */
  readonly offered: readonly string[];
  /** Whether the offered categories are all that there are, so that a contact without any of them gets nothing. */
  readonly isComplete: boolean;
}

/** A choice to store. */
export interface Choice {
  readonly unsubscribed: boolean;
  /** Undefined = unchanged. */
  readonly excluded?: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/**
 * The contacts that a recipient's choice is for, the one that gets the mails first, and their address. A contact that has taken the address which is
 * the recipient's hwid is one of them.
 * @throws Fault `forbidden` if the recipient is erased
 */
async function contactsOf({ account, application, seq }: LinkedRecipient, { devices }: Pick<Context, 'devices'>) {
  const { devices: described } = await devices.describe({ account, application, seqs: [seq], tags: [], plans: [] });
  const [contact] = described;
  if (!contact?.found) throw Fault.forbidden(DEAD_LINK);
  const { hwid, token } = contact;
  if (token !== '' || !hwid.includes('@')) return { hwids: [hwid], address: token };
  const { hwids } = await devices.findContacts({ account, application, email: hwid });
  return { hwids: [...new Set([...hwids, hwid])], address: hwid };
}

/** Reads the choices of a recipient. @throws Fault `forbidden` if the contact is erased */
export async function preferencesOf(
  recipient: LinkedRecipient,
  context: Pick<Context, 'accounts' | 'devices'>,
): Promise<Preferences> {
  const { account, application } = recipient;
  const { hwids, address } = await contactsOf(recipient, context);
  const [{ tags }, { categories }] = await Promise.all([
    context.devices.getTags({ account, application, hwid: hwids[0]!, userId: '' }),
    context.accounts.findAccount({ account }),
  ]);
  const given = (tags ?? {}) as Readonly<Record<string, unknown>>;
  const list = given[unsubscribedCategories.name];
  const excluded = Array.isArray(list) ? list.filter(isText) : [];
  const isComplete = categories.length > 0;
  const unsubscribed = given[unsubscribedEmails.name] === true;
  return { address, unsubscribed, excluded, offered: isComplete ? categories : excluded, isComplete };
}

/** Stores the choice of a recipient: resolves when it is durable. Idempotent. @throws Fault `forbidden` if the contact is erased */
export async function choose(
  recipient: LinkedRecipient,
  { unsubscribed, excluded }: Choice,
  {
    context,
    pending,
  }: { readonly context: Pick<Context, 'devices' | 'deviceCommands'>; readonly pending: PendingRequest },
): Promise<void> {
  const { account, application } = recipient;
  const { hwids } = await contactsOf(recipient, context);
  const tags = {
    // A tag that is removed and one that is false mean the same; the preference page removes it (R-RES17).
    [unsubscribedEmails.name]: unsubscribed ? true : null,
    ...(excluded && { [unsubscribedCategories.name]: excluded.length === 0 ? null : [...excluded] }),
  };
  const commands = hwids.map((hwid) => ({
    account,
    application,
    hwid,
    userId: '',
    idempotencyKey: '',
    platform: undefined,
    command: { $case: 'setTags' as const, value: { tags } },
  }));
  await context.deviceCommands.submitAll(pending, commands);
}
