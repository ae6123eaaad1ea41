import { bytesOf, MessageAccepted } from '@tidings/events';
import { type Clock, Fault } from '@tidings/kernel';
import {
  type Created,
  MessageRefused,
  refuseFirst,
  refusedInboxDate,
  refusedSendDate,
  refusedSize,
  refuseTotal,
} from '@tidings/messaging';
import { faultOf } from '@tidings/mongo';
import type { Audiences, CreatedMessage, Devices, Messages, Presets, ResolvedAudience } from '@tidings/rpc';
import { acceptedMessage, type Circumstances, type CompleteMessage } from './accepted-message.ts';
import { audiencesOf, withContacts } from './audiences.ts';
import { newContacts, type NewContacts, refusedContacts, registerContacts } from './contacts.ts';
import type { CreateMessages, ToCreate } from './create-messages.ts';
import type { Acceptance, Entry } from './entry.ts';
import { campaignsNamed, presetsOf, refusedPresets, type UsedPresets } from './presets.ts';
import type { Repeats, Transactions } from './transactions.ts';

/** Shorter than the gateway's deadline: callers learn that nothing was accepted. */
const ACCEPT_MS = 9_000;

export interface AcceptanceDeps {
  readonly clock: Clock;
  readonly transactions: Transactions;
  readonly messages: CreateMessages;
  readonly audiences: Audiences;
  readonly presets: Pick<Presets, 'resolve' | 'nameCampaign'>;
  readonly devices: Pick<Devices, 'apply'>;
}

interface Checked extends Entry {
  readonly audience: ResolvedAudience;
  readonly presets: UsedPresets;
  readonly contacts: NewContacts | undefined;
  readonly message: CompleteMessage;
  readonly circumstances: Circumstances;
}

const completed = ({ request, audience, presets, circumstances }: Omit<Checked, 'message'>): CompleteMessage =>
  acceptedMessage(request, { ...presets, audience }, circumstances);

async function check(
  entries: readonly Entry[],
  acceptance: Acceptance,
  { audiences, presets, messages }: AcceptanceDeps,
): Promise<readonly Checked[]> {
  const { account, applications, now } = acceptance;
  refuseFirst(entries, ({ request }) => refusedSendDate(request.message!, now));
  refuseFirst(entries, ({ request }) => refusedInboxDate(request.message!, now));
  const used = await presetsOf(entries, acceptance, presets);
  const { byEntry, isDebugged } = await audiencesOf(entries, used, acceptance, audiences);
  refuseFirst(entries, (entry) => refusedPresets(entry.request, used.get(entry)!));
  refuseFirst(entries, (entry) => refusedContacts(entry.request, byEntry.get(entry)!));
  const checked = entries.map((entry) => {
    const audience = byEntry.get(entry)!;
    const circumstances = { applications, isDebugged, now };
    const contacts = newContacts(entry.request, audience);
    const resolved = { ...entry, audience, presets: used.get(entry)!, contacts, circumstances };
    return { ...resolved, message: completed(resolved) };
  });
  const sizes = checked.map(({ notification, message: { accepted } }) => ({
    notification,
    bytes: bytesOf(MessageAccepted, accepted).length,
    tags: accepted.content!.tags.length,
  }));
  refuseFirst(sizes, refusedSize);
  refuseTotal(sizes);
  await messages.refuse(account, checked.map(toCreate));
  return checked;
}

const toCreate = ({ audience, ...entry }: Checked): ToCreate => ({
  ...entry,
  isActivityKnown: audience.activityKnown,
});

async function register(
  entries: readonly Checked[],
  acceptance: Acceptance,
  { devices, audiences }: AcceptanceDeps,
): Promise<readonly Checked[]> {
  const registering = entries.flatMap((entry) => (entry.contacts ? [{ ...entry, contacts: entry.contacts }] : []));
  if (registering.length === 0) return entries;
  acceptance.refuseLate();
  const owner = { account: acceptance.account, application: acceptance.applications[0]! };
  await registerContacts(
    devices,
    owner,
    registering.map(({ contacts }) => contacts),
  );
  const found = await withContacts(registering, acceptance, audiences);
  const audienceOf = new Map(registering.map(({ notification }, i) => [notification, found[i]!]));
  return entries.map((entry) => {
    const audience = audienceOf.get(entry.notification);
    return audience ? { ...entry, audience, message: completed({ ...entry, audience }) } : entry;
  });
}

async function withCampaigns(
  entries: readonly Checked[],
  acceptance: Acceptance,
  { presets }: AcceptanceDeps,
): Promise<readonly Checked[]> {
  const ids = await campaignsNamed(entries, acceptance, presets);
  return entries.map((entry) => {
    const campaignId = ids.get(entry.request.campaignName);
    if (campaignId === undefined) return entry;
    const { message } = entry;
    return { ...entry, message: { ...message, accepted: { ...message.accepted, campaignId } } };
  });
}

const keysWithEffects = (entries: readonly Checked[]): string[] => {
  const effective = entries.filter(({ request, contacts }) => contacts !== undefined || request.campaignName !== '');
  return [...new Set(effective.map(({ transaction }) => transaction).filter((key) => key !== ''))];
};

const answered = (created: Created, unknown: readonly string[] = []): CreatedMessage => ({
  ...created,
  unknown: created.repeat ? [] : [...unknown],
});

async function create(
  entries: readonly Checked[],
  acceptance: Acceptance,
  deps: AcceptanceDeps,
): Promise<ReadonlyMap<number, CreatedMessage>> {
  const ready = await withCampaigns(await register(entries, acceptance, deps), acceptance, deps);
  acceptance.refuseLate();
  acceptance.mayExist = true;
  const created = await deps.messages.create(acceptance.account, ready.map(toCreate));
  return new Map(
    ready.map(({ notification, audience }, i) => [notification, answered(created[i]!, audience.unknown)] as const),
  );
}

async function acceptNew(
  entries: readonly Entry[],
  acceptance: Acceptance,
  deps: AcceptanceDeps,
): Promise<ReadonlyMap<number, CreatedMessage>> {
  const checked = await check(entries, acceptance, deps);
  // Contacts and campaigns outlive a refused request, and repeats must not create any.
  const { repeats, release } = await deps.transactions.reserve(keysWithEffects(checked), acceptance.deadline);
  const fresh = checked.filter(({ transaction }) => !repeats.has(transaction));
  const repeated = checked.flatMap(({ notification, transaction }) => {
    const repeat = repeats.get(transaction);
    return repeat ? [[notification, answered(repeat)] as const] : [];
  });
  try {
    return new Map([...repeated, ...(await create(fresh, acceptance, deps))]);
  } catch (error) {
    if (!acceptance.mayExist) await release();
    throw error;
  }
}

function withoutEffect(error: unknown): Fault {
  const fault = faultOf(error);
  if (fault.kind !== 'unavailable') return fault;
  return new Fault('unavailable', fault.message, { internal: fault.internal, cause: error, effect: 'none' });
}

/** One commit holds transactionIds and their messages. */
export function acceptMessages(deps: AcceptanceDeps): Pick<Messages, 'accept'> {
  const { clock, transactions } = deps;

  const acceptAll = async (entries: readonly Entry[], repeats: Repeats, acceptance: Acceptance) => {
    acceptance.refuseLate();
    const fresh = entries.filter(({ transaction }) => !repeats.has(transaction));
    const created = fresh.length > 0 ? await acceptNew(fresh, acceptance, deps) : undefined;
    return entries.map(
      ({ notification, transaction }) => created?.get(notification) ?? answered(repeats.get(transaction)!),
    );
  };

  return {
    async accept({ messages, ...request }) {
      const deadline = performance.now() + ACCEPT_MS;
      const refuseLate = (): void => {
        if (performance.now() >= deadline) throw new Fault('unavailable', 'Not served in time', { effect: 'none' });
      };
      const acceptance = { ...request, now: new Date(clock.now()), deadline, refuseLate, mayExist: false };
      const entries = messages.map((each, notification) => ({
        notification,
        request: each,
        transaction: transactions.keyOf(request.account, each.transactionId),
      }));
      const keys = [...new Set(entries.map(({ transaction }) => transaction).filter((key) => key !== ''))];
      try {
        const created = await transactions.exclusively(keys, (repeats) => acceptAll(entries, repeats, acceptance));
        return { messages: created, refusal: undefined };
      } catch (error) {
        if (!(error instanceof MessageRefused)) throw acceptance.mayExist ? error : withoutEffect(error);
        const { detail = '', ...refusal } = error.refusal;
        return { messages: [], refusal: { entry: undefined, ...refusal, detail } };
      }
    },
  };
}
