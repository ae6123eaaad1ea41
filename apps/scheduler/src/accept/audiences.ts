import { Fault } from '@tidings/kernel';
import { type MessageField, MessageRefused, type RefusalReason } from '@tidings/messaging';
import type { AudienceRequest, Audiences, MessageRefusal, Recipients, ResolvedAudience } from '@tidings/rpc';
import type { Preset } from '@tidings/events';
import type { Acceptance, Entry } from './entry.ts';
import type { NewContacts } from './contacts.ts';
import type { UsedPresets } from './presets.ts';

export interface FoundAudiences {
  readonly byEntry: ReadonlyMap<Entry, ResolvedAudience>;
  readonly isDebugged: boolean;
}

/** Counts only where the request names no recipients (R-K4). */
const filterPreset = (recipients: Recipients, preset: Preset | undefined): Preset | undefined =>
  recipients.recipients?.$case === 'everyone' && preset && preset.filter !== '' ? preset : undefined;

function recipientsOf(recipients: Recipients, preset: Preset | undefined): Recipients {
  const owner = filterPreset(recipients, preset);
  if (!owner) return recipients;
  const { filter: code, application, group } = owner;
  return { ...recipients, recipients: { $case: 'presetFilter', value: { code, application, group } } };
}

function audienceOf({ request }: Entry, { preset }: UsedPresets): AudienceRequest {
  const { email } = request.message!.content!;
  return { recipients: recipientsOf(request.recipients!, preset), category: email?.category ?? '' };
}

function refusedAs({ request, notification }: Entry, { preset }: UsedPresets, refusal: MessageRefusal): MessageRefused {
  const { entry, detail } = refusal;
  const isPresets = refusal.field === 'selection' && filterPreset(request.recipients!, preset) !== undefined;
  const field = isPresets ? 'preset' : (refusal.field as MessageField);
  return new MessageRefused({ notification, reason: refusal.reason as RefusalReason, field, entry, detail });
}

export async function audiencesOf(
  entries: readonly Entry[],
  used: ReadonlyMap<Entry, UsedPresets>,
  { account, applications, group, grant, now }: Acceptance,
  registry: Audiences,
): Promise<FoundAudiences> {
  const audiences = entries.map((entry) => audienceOf(entry, used.get(entry)!));
  const reply = await registry.resolve({ account, applications, grant, audiences });
  const byEntry = new Map<Entry, ResolvedAudience>();
  entries.forEach((entry, i) => {
    const each = reply.audiences[i]?.reply;
    if (!each) throw Fault.bug('the registry did not resolve an audience');
    if (each.$case === 'refusal') throw refusedAs(entry, used.get(entry)!, each.value);
    byEntry.set(entry, each.value);
  });
  const isDebugged = group === '' && reply.debugUntil !== undefined && reply.debugUntil > now;
  return { byEntry, isDebugged };
}

const ascending = (...sets: readonly (readonly number[])[]): number[] =>
  [...new Set(sets.flat())].sort((a, b) => a - b);

function withRegistered(audience: ResolvedAudience, registered: ResolvedAudience): ResolvedAudience {
  const [before, after] = [audience.audience?.target, registered.audience?.target];
  if (before?.$case !== 'named' || after?.$case !== 'named') throw Fault.bug('contacts that are not named');
  const value = { ...before.value, seqs: ascending(before.value.seqs, after.value.seqs) };
  const stillUnknown = new Set(registered.unknown);
  return {
    ...audience,
    audience: { ...audience.audience!, target: { $case: 'named', value } },
    platforms: ascending(audience.platforms, registered.platforms),
    unknown: audience.unknown.filter((name) => stillUnknown.has(name)),
  };
}

export interface RegisteredContacts {
  readonly audience: ResolvedAudience;
  readonly contacts: NewContacts;
}

export async function withContacts(
  registered: readonly RegisteredContacts[],
  { account, applications }: Acceptance,
  registry: Audiences,
): Promise<ResolvedAudience[]> {
  const audiences = registered.map(({ contacts: { platform, hwids } }): AudienceRequest => {
    const recipients = { $case: 'contacts' as const, value: { platform, names: [...hwids] } };
    return { recipients: { recipients, latestDevice: false, latestAmong: [], bySiblings: false }, category: '' };
  });
  const reply = await registry.resolve({ account, applications, grant: undefined, audiences });
  return registered.map(({ audience }, i) => {
    const each = reply.audiences[i]?.reply;
    if (each?.$case !== 'resolved') throw Fault.bug('the registry did not resolve contacts');
    const { hwids } = registered[i]!.contacts;
    const others = audience.unknown.filter((name) => !hwids.includes(name));
    return withRegistered(audience, { ...each.value, unknown: [...each.value.unknown, ...others] });
  });
}
