import { DENIED, expressionOf, keyedId, type LiveFilter } from '@tidings/audience';
import { type Audience, bytesOf, Expression } from '@tidings/events';
import { sharedReads } from '@tidings/coordination';
import { Fault, type PlatformCode, Refusal } from '@tidings/kernel';
import { MAX_SIBLING_APPLICATIONS } from '@tidings/messaging';
import { isTransient } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type {
  AudienceReply,
  AudienceRequest,
  Audiences,
  Conditions,
  FilterReference,
  Grant,
  MessageRefusal,
  PresetFilter,
  Recipients,
  ResolvedAudience,
} from '@tidings/rpc';
import { applicationsOfTags } from '@tidings/segments';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import type { DevicesDeps } from '../devices/commands/apply.ts';
import { compiledOf } from '../segments/expressions.ts';
import { applicationsOf, findFilter } from '../segments/find.ts';
import { parsedFilter } from '../segments/structured.ts';
import { meaningOf } from '../segments/stored-filters.ts';
import { findTestDevices } from '../test-devices/test-device-numbers.ts';
import {
  findByHwid,
  findByToken,
  findContacts,
  findContactsOf,
  findDevices,
  findUsers,
  type Found,
  type HwidLookup,
  presentDevices,
} from '../devices/queries/named.ts';

type Refused = Pick<MessageRefusal, 'reason' | 'field' | 'entry'> & { readonly detail?: string };

class AudienceRefused extends Error {
  override readonly name = 'AudienceRefused';

  constructor(readonly refused: Refused) {
    super(refused.reason);
  }
}

const refuse = (reason: string, field: string, more: { entry?: number | undefined; detail?: string } = {}): never => {
  throw new AudienceRefused({ reason, field, entry: undefined, ...more });
};

async function refusing<Of>(reason: 'invalidExpression' | 'invalidCondition', work: () => Promise<Of>): Promise<Of> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) refuse(reason, 'selection', { entry: error.entry, detail: error.message });
    throw error;
  }
}

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

const audience = (
  target: NonNullable<Audience['target']>,
  more: { readonly found?: Found; readonly filter?: LiveFilter | undefined } = {},
): ResolvedAudience => ({
  audience: { target, platforms: [] },
  unknown: [...(more.found?.unknown ?? [])],
  platforms: ascending(more.found?.platforms ?? []),
  filterName: more.filter?.name ?? '',
  filterCode: more.filter?.code ?? '',
  activityKnown: false,
});

const named = (found: Found): ResolvedAudience =>
  audience({ $case: 'named', value: { seqs: ascending(found.seqs), byApplication: [] } }, { found });

function namedInGroup(byApplication: ReadonlyMap<string, Found>): ResolvedAudience {
  const all = [...byApplication.values()];
  const [first, ...others] = all.map((found) => new Set(found.unknown));
  const unknown = [...(first ?? [])].filter((name) => others.every((left) => left.has(name)));
  const platforms = new Set(all.flatMap((found) => [...found.platforms]));
  const value = {
    seqs: [],
    byApplication: Array.from(byApplication, ([application, { seqs }]) => ({ application, seqs: ascending(seqs) })),
  };
  return audience({ $case: 'named', value }, { found: { seqs: new Set(), platforms, unknown } });
}

const selected = (expression: Expression | undefined, filter?: LiveFilter): ResolvedAudience =>
  audience(
    { $case: 'selection', value: { expression, circle: undefined, activity: '', bySiblings: false } },
    { filter },
  );

/** Tags of siblings match by hwid (R-O5). */
function bySiblings(addressed: ResolvedAudience, applications: readonly string[]): ResolvedAudience {
  const target = addressed.audience?.target;
  const expression = target?.$case === 'selection' ? target.value.expression : undefined;
  if (target?.$case !== 'selection' || !expression) return addressed;
  const others = [...applicationsOfTags(expression)].filter((code) => !applications.includes(code));
  if (others.length > MAX_SIBLING_APPLICATIONS) refuse('tooManyApplications', 'selection');
  const value = { ...target.value, bySiblings: others.length > 0 };
  return { ...addressed, audience: { ...addressed.audience!, target: { $case: 'selection', value } } };
}

/** Their number is not limited, so scans read them. */
async function updated(id: string, { devices, keys, account, application }: HwidLookup): Promise<ResolvedAudience> {
  const activity = keyedId(keys.device, 'activity', account, id);
  const holder = { app: application, 'activities.k': activity };
  const found = await devices.findOne(holder, { projection: { _id: 1 }, hint: deviceIndexes.activities });
  const value = { expression: undefined, circle: undefined, activity, bySiblings: false };
  return { ...audience({ $case: 'selection', value }), activityKnown: found !== null };
}

async function namedBy(
  db: Db,
  { recipients: target, latestDevice, latestAmong }: Recipients,
  lookup: HwidLookup,
): Promise<Found | undefined> {
  switch (target?.$case) {
    case 'devices':
    case 'to':
    case 'hwids':
    case 'pushTokens':
      return finders[target.$case](target.value.names, lookup);
    case 'contacts':
      return findContactsOf(target.value.platform as PlatformCode, target.value.names, lookup);
    case 'users':
      return findUsers(target.value.names, lookup, latestDevice ? latestAmong : undefined);
    case 'testDevices':
      return findTestDevices(db, lookup.application);
    default:
      return undefined;
  }
}

const finders = { devices: findDevices, to: findContacts, hwids: findByHwid, pushTokens: findByToken };

const MAX_SEGMENT_BYTES = 16 << 20;

interface Scope {
  readonly account: string;
  readonly applications: readonly string[];
  readonly grant: Grant | undefined;
  room: number;
}

function take(scope: Scope, bytes: number): void {
  scope.room -= bytes;
  if (scope.room < 0) refuse('segmentsTooLarge', 'request');
}

export interface AudiencesDeps extends DevicesDeps {
  readonly store: AccountStore;
}

export function audiencesRpc({ db, clock, keys, tags, store }: AudiencesDeps): Audiences {
  const devices = db.collection<DeviceDocument>(DEVICES);
  const present = presentDevices(db);
  const applicationsNamed = sharedReads(
    async (codes) => new Map((await store.applications(codes)).map((each) => [each.code, each])),
    { mayBeOneItem: (error) => !isTransient(error) },
  );

  const typed = async ({ account }: Scope, { operator, conditions }: Conditions): Promise<ResolvedAudience> => {
    const set = await tags.of(
      account,
      conditions.map(({ tag }) => tag),
    );
    return refusing('invalidCondition', async () =>
      selected(expressionOf(conditions, operator, (name) => set.named(name), clock.now())),
    );
  };

  const filtered = async (
    scope: Scope,
    applications: readonly string[],
    reference: FilterReference,
  ): Promise<ResolvedAudience> => {
    const found = await findFilter(store, scope.account, applications, reference);
    if (!found) return refuse('notFound', 'selection');
    take(scope, found.expression.length);
    return selected(await refusing('invalidExpression', () => meaningOf(found, tags)), found);
  };

  const byPreset = async (scope: Scope, { code, ...preset }: PresetFilter): Promise<ResolvedAudience> =>
    filtered(scope, await applicationsOf(store, scope.account, preset), { name: '', code });

  const expressed = async (
    scope: Scope,
    target: Extract<Recipients['recipients'], { $case: 'expression' | 'structured' }>,
  ): Promise<ResolvedAudience> => {
    const { account, grant } = scope;
    const { expression } = await refusing('invalidExpression', async () => {
      const source = target.$case === 'expression' ? target.value : parsedFilter(target.value);
      return compiledOf({ account, grant, source }, { store, tags, clock });
    });
    take(scope, bytesOf(Expression, expression).length);
    return selected(expression);
  };

  const address = async (scope: Scope, recipients: Recipients): Promise<ResolvedAudience> => {
    const { account, applications } = scope;
    const target = recipients.recipients;
    const lookup = { devices, present, keys, account, application: applications[0]! };
    if (target?.$case === 'to' && applications.length > 1) {
      const byApplication = new Map<string, Found>();
      for (const application of applications) {
        byApplication.set(application, await findContacts(target.value.names, { ...lookup, application }));
      }
      return namedInGroup(byApplication);
    }
    // Other listed recipients belong to one application (R-I2).
    const found = await namedBy(db, recipients, lookup);
    if (found) return named(found);
    switch (target?.$case) {
      case 'activity':
        return updated(target.value, lookup);
      case 'conditions':
        return typed(scope, target.value);
      case 'filter':
        return filtered(scope, applications, target.value);
      case 'presetFilter':
        return byPreset(scope, target.value);
      case 'expression':
      case 'structured':
        return expressed(scope, target);
      case 'everyone':
        return selected(undefined);
      default:
        throw Fault.bug('an audience without recipients');
    }
  };

  /** Without categories, an account accepts every one (R-E13). */
  const refuseUnknownCategory = async (account: string, category: string): Promise<void> => {
    if (category === '') return;
    const categories = await store.categories(account);
    if (categories.length > 0 && !categories.includes(category)) refuse('unknownCategory', 'category');
  };

  const resolve = async (scope: Scope, { recipients, category }: AudienceRequest): Promise<AudienceReply> => {
    try {
      await refuseUnknownCategory(scope.account, category);
      const addressed = await address(scope, recipients!);
      const value = recipients!.bySiblings ? bySiblings(addressed, scope.applications) : addressed;
      return { reply: { $case: 'resolved', value } };
    } catch (error) {
      if (!(error instanceof AudienceRefused)) throw error;
      const { detail = '', ...refused } = error.refused;
      return { reply: { $case: 'refusal', value: { notification: 0, ...refused, detail } } };
    }
  };

  return {
    async resolve({ audiences, account, applications, grant }) {
      const existing = await applicationsNamed(applications);
      const found = [...new Set(applications)].flatMap((code) => existing.get(code) ?? []);
      const [first, ...others] = found;
      const isOwn = found.every((each) => each.account === account);
      if (!first || !isOwn || found.length < applications.length) throw Fault.argument(DENIED);
      const scope = { account, applications, grant, room: MAX_SEGMENT_BYTES };
      return {
        debugUntil: others.length === 0 ? first.debugUntil : undefined,
        audiences: await Promise.all(audiences.map((each) => resolve(scope, each))),
      };
    },
  };
}
