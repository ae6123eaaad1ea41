import { defaultTags } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import { DEAD_LINK, type LinkedRecipient } from './mail-links.ts';

const { unsubscribedEmails, unsubscribedCategories } = defaultTags;

export interface Preferences {
  readonly address: string;
  readonly unsubscribed: boolean;
  readonly excluded: readonly string[];
  readonly offered: readonly string[];
  readonly isComplete: boolean;
}

export interface Choice {
  readonly unsubscribed: boolean;
  readonly excluded?: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The first gets the mails. */
async function contactsOf({ account, application, seq }: LinkedRecipient, { devices }: Pick<Context, 'devices'>) {
  const { devices: described } = await devices.describe({ account, application, seqs: [seq], tags: [], plans: [] });
  const [contact] = described;
  if (!contact?.found) throw Fault.forbidden(DEAD_LINK);
  const { hwid, token } = contact;
  if (token !== '' || !hwid.includes('@')) return { hwids: [hwid], address: token };
  const { hwids } = await devices.findContacts({ account, application, email: hwid });
  return { hwids: [...new Set([...hwids, hwid])], address: hwid };
}

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
    // The preference page removes the tag, which means false (R-RES17).
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
