import { defaultTags } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import type { Context } from '../context.ts';
import type { PendingRequest } from '../http/pending-requests.ts';
import { DEAD_LINK, type LinkedRecipient } from './mail-links.ts';

const { unsubscribedEmails, unsubscribedCategories } = defaultTags;

/** The choices of an e-mail contact, by its tags (R-RES17). */
export interface Preferences {
  readonly hwid: string;
  readonly address: string;
  /** It gets no marketing at all. */
  readonly unsubscribed: boolean;
  /** Categories that it does not get. */
  readonly excluded: readonly string[];
  /** Categories that the operator offers; without any, those that the contact does not get, which it may choose again. */
  readonly offered: readonly string[];
  /** Those offered are all that there are: who wants none of them wants nothing. */
  readonly isComplete: boolean;
}

/** A choice to store. */
export interface Choice {
  readonly unsubscribed: boolean;
  /** Undefined = unchanged. */
  readonly excluded?: readonly string[];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The hwid and the address of a recipient. @throws Fault `forbidden` if it is erased */
async function contactOf({ account, application, seq }: LinkedRecipient, { devices }: Pick<Context, 'devices'>) {
  const { devices: described } = await devices.describe({ account, application, seqs: [seq], tags: [] });
  const [contact] = described;
  if (!contact?.found) throw Fault.forbidden(DEAD_LINK);
  return { hwid: contact.hwid, address: contact.token };
}

/** Reads the choices of a recipient. @throws Fault `forbidden` if the contact is erased */
export async function preferencesOf(recipient: LinkedRecipient, context: Context): Promise<Preferences> {
  const { account, application } = recipient;
  const contact = await contactOf(recipient, context);
  const [{ tags }, { categories }] = await Promise.all([
    context.devices.getTags({ account, application, hwid: contact.hwid, userId: '' }),
    context.accounts.findAccount({ account }),
  ]);
  const given = (tags ?? {}) as Readonly<Record<string, unknown>>;
  const list = given[unsubscribedCategories.name];
  const excluded = Array.isArray(list) ? list.filter(isText) : [];
  const isComplete = categories.length > 0;
  const unsubscribed = given[unsubscribedEmails.name] === true;
  return { ...contact, unsubscribed, excluded, offered: isComplete ? categories : excluded, isComplete };
}

/** Stores the choice of a recipient: resolves when it is durable. Idempotent. @throws Fault `forbidden` if the contact is erased */
export async function choose(
  recipient: LinkedRecipient,
  { unsubscribed, excluded }: Choice,
  { context, pending }: { readonly context: Context; readonly pending: PendingRequest },
): Promise<void> {
  const { account, application } = recipient;
  const { hwid } = await contactOf(recipient, context);
  const tags = {
    // A tag that is removed and one that is false mean the same; the preference page removes it (R-RES17).
    [unsubscribedEmails.name]: unsubscribed ? true : null,
    ...(excluded && { [unsubscribedCategories.name]: excluded.length === 0 ? null : [...excluded] }),
  };
  await context.deviceCommands.submit(pending, {
    ...{ account, application, hwid, userId: '', idempotencyKey: '', platform: undefined },
    command: { $case: 'setTags', value: { tags } },
  });
}
