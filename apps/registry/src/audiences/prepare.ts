import { DENIED, expressionOf, keyedId, type LiveFilter } from '@tidings/audience';
import { type Audience, bytesOf, Expression, Preset } from '@tidings/events';
import { sharedReads } from '@tidings/coordination';
import { Fault, type PlatformCode } from '@tidings/kernel';
import { isTransient } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { Conditions, Devices, FilterReference, PrepareAudience, PreparedAudience } from '@tidings/rpc';
import { applicationsOfTags, type Parsed } from '@tidings/segments';
import type { Db } from 'mongodb';
import type { AccountStore } from '../accounts/account-store.ts';
import { applicationView } from '../applications/application-view.ts';
import type { DevicesDeps } from '../devices/commands/apply.ts';
import { type Addressees, resolvePresets } from '../presets/resolve-presets.ts';
import type { PresetStore } from '../presets/preset-store.ts';
import { compiledOf, refusing } from '../segments/expressions.ts';
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

/** The addressees of a message. */
type Addressed = Pick<
  PreparedAudience,
  'audience' | 'unknown' | 'platforms' | 'filterName' | 'filterCode' | 'activityKnown'
>;

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

/** The caller restricts platforms. */
const audience = (
  target: NonNullable<Audience['target']>,
  more: { readonly found?: Found; readonly filter?: LiveFilter | undefined } = {},
): Addressed => ({
  audience: { target, platforms: [] },
  unknown: [...(more.found?.unknown ?? [])],
  platforms: ascending(more.found?.platforms ?? []),
  filterName: more.filter?.name ?? '',
  filterCode: more.filter?.code ?? '',
  activityKnown: false,
});

const named = (found: Found): Addressed =>
  audience({ $case: 'named', value: { seqs: ascending(found.seqs), byApplication: [] } }, { found });

/** The named devices of each application of a group; unknown is a name that none of them knows. */
function namedInGroup(byApplication: ReadonlyMap<string, Found>): Addressed {
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

/** The caller restricts the place. */
const selected = (expression: Expression | undefined, filter?: LiveFilter): Addressed =>
  audience(
    { $case: 'selection', value: { expression, circle: undefined, activity: '', bySiblings: false } },
    { filter },
  );

/** Maximum number of other applications whose tags select devices by hwid: each is read for every device in question. */
const MAX_SIBLING_APPLICATIONS = 20;

/** The selected devices, with conditions on tags of other applications by hwid (R-O5). */
function bySiblings(addressed: Addressed, applications: readonly string[], path: string): Addressed {
  const target = addressed.audience?.target;
  const expression = target?.$case === 'selection' ? target.value.expression : undefined;
  if (target?.$case !== 'selection' || !expression) return addressed;
  const others = [...applicationsOfTags(expression)].filter((code) => !applications.includes(code));
  if (others.length > MAX_SIBLING_APPLICATIONS) {
    throw Fault.argument(`${path}: tags of more than ${MAX_SIBLING_APPLICATIONS} other applications`);
  }
  const value = { ...target.value, bySiblings: others.length > 0 };
  return { ...addressed, audience: { ...addressed.audience!, target: { $case: 'selection', value } } };
}

type Target = NonNullable<PrepareAudience['target']>;

/** Recipients by names or properties. */
type Described = Exclude<Target, { $case: 'activity' }>;

/** The devices with a token for a live activity; their number is not limited, so that scans read them. */
async function updated(id: string, { devices, keys, account, application }: HwidLookup): Promise<Addressed> {
  const activity = keyedId(keys.device, 'activity', account, id);
  const holder = { app: application, 'activities.k': activity };
  const found = await devices.findOne(holder, { projection: { _id: 1 }, hint: deviceIndexes.activities });
  const value = { expression: undefined, circle: undefined, activity, bySiblings: false };
  return { ...audience({ $case: 'selection', value }), activityKnown: found !== null };
}

/** An expression in either form. */
type Written = Extract<Target, { $case: 'expression' | 'structured' }>;

const sourceOf = (target: Written, path: string): string | Parsed =>
  target.$case === 'expression' ? target.value.source : refusing(path, () => parsedFilter(target.value.filter));

/** The devices that a target names; undefined if it selects devices. */
async function namedBy(
  db: Db,
  { target, latestDevice, latestAmong }: Pick<PrepareAudience, 'target' | 'latestDevice' | 'latestAmong'>,
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

/** Maximum encoded size of the segments and presets of one request: one reply holds them all. */
const MAX_NAMED_BYTES = 16 << 20;

/** The remainder of that size. */
interface Room {
  bytes: number;
}

/** The only registry read of createMessage: resolves the audience with one `$in` each for hwids, push tokens and users (sending 1). */
export function prepareRpc({
  db,
  clock,
  keys,
  tags,
  store,
  presets,
}: DevicesDeps & { store: AccountStore; presets: PresetStore }): Pick<Devices, 'prepare'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  // A message to one device costs these two reads, and a mail costs the read of its address. Concurrent requests share these two.
  const present = presentDevices(db);
  const applicationsNamed = sharedReads(
    async (codes) => new Map((await store.applications(codes)).map((each) => [each.code, each])),
    { mayBeOneItem: (error) => !isTransient(error) },
  );

  const typed = async (account: string, path: string, { operator, conditions }: Conditions): Promise<Addressed> => {
    const names = conditions.map(({ tag }) => tag);
    const set = await tags.of(account, names);
    return selected(expressionOf(path, conditions, operator, (name) => set.named(name), clock.now()));
  };

  /** A filter by name, else by code (R-N2), of one of the applications or of none. The message keeps the current expression. */
  const filtered = async (
    account: string,
    applications: readonly string[],
    { field, ...reference }: FilterReference & { readonly field: string },
    room: Room,
  ): Promise<Addressed> => {
    const found = await findFilter(store, account, applications, reference);
    if (!found) throw Fault.argument(`${field}: not found`);
    room.bytes -= found.expression.length;
    if (room.bytes < 0) throw Fault.argument('notifications: the segments are too large together');
    const expression = await meaningOf(found, field, tags);
    return selected(expression, found);
  };

  /** An expression from the request itself. Each message of a request holds a copy. */
  const expressed = async (account: string, path: string, target: Written, room: Room): Promise<Addressed> => {
    const { grant } = target.value;
    const { expression } = await compiledOf(
      { account, grant, source: sourceOf(target, path), path },
      { store, tags, clock },
    );
    room.bytes -= bytesOf(Expression, expression).length;
    if (room.bytes < 0) throw Fault.argument('notifications: the segments are too large together');
    return selected(expression);
  };

  const address = async (
    { account, applications }: Addressees,
    { target, path, targetPath, ...latest }: PrepareAudience & { readonly target: Described | undefined },
    room: Room,
  ): Promise<Addressed> => {
    const lookup = { devices, present, keys, account, application: applications[0]! };
    if (target?.$case === 'to' && applications.length > 1) {
      const byApplication = new Map<string, Found>();
      for (const application of applications) {
        byApplication.set(application, await findContacts(target.value.names, { ...lookup, application }));
      }
      return namedInGroup(byApplication);
    }
    // Other listed recipients belong to one application (R-I2).
    const found = await namedBy(db, { ...latest, target }, lookup);
    if (found) return named(found);
    switch (target?.$case) {
      case 'conditions':
        return typed(account, path, target.value);
      case 'filter':
        return filtered(account, applications, { field: targetPath, ...target.value }, room);
      case 'expression':
      case 'structured':
        return expressed(account, targetPath, target, room);
      case 'everyone':
        return selected(undefined);
      default:
        throw Fault.bug('an audience without a target');
    }
  };

  const byPreset = async ({ account }: Addressees, preset: Preset, field: string, room: Room): Promise<Addressed> => {
    const owners = await applicationsOf(store, account, preset);
    return filtered(account, owners, { field, name: '', code: preset.filter }, room);
  };

  const resolve = resolvePresets(presets, store);

  /** While an account has no categories, every one is accepted (R-E13). */
  const refuseUnknownCategory = async (account: string, asked: PrepareAudience): Promise<void> => {
    if (asked.category === '') return;
    const categories = await store.categories(account);
    if (categories.length === 0 || categories.includes(asked.category)) return;
    throw Fault.argument(`${asked.categoryPath}: unknown category`);
  };

  const prepareOne = async (to: Addressees, asked: PrepareAudience, room: Room): Promise<PreparedAudience> => {
    const resolved = await resolve(to, asked);
    await refuseUnknownCategory(to.account, asked);
    const { preset } = resolved;
    if (preset) room.bytes -= bytesOf(Preset, preset).length;
    if (room.bytes < 0) throw Fault.argument('notifications: the presets are too large together');
    const { target } = asked;
    if (target?.$case === 'activity') {
      const lookup = { devices, present, keys, account: to.account, application: to.applications[0]! };
      return { ...(await updated(target.value, lookup)), ...resolved };
    }
    // A preset's filter applies only if the request names no recipients (R-K4).
    const isPresets = target?.$case === 'everyone' && preset !== undefined && preset.filter !== '';
    const addressed = isPresets
      ? await byPreset(to, preset, asked.presetPath, room)
      : await address(to, { ...asked, target }, room);
    const path = isPresets ? asked.presetPath : asked.targetPath;
    return { ...(asked.bySiblings ? bySiblings(addressed, to.applications, path) : addressed), ...resolved };
  };

  return {
    async prepare({ audiences, ...to }) {
      const known = await applicationsNamed(to.applications);
      const found = [...new Set(to.applications)].flatMap((code) => known.get(code) ?? []);
      const [first] = found;
      const isOwn = found.every(({ account }) => account === to.account);
      if (!first || !isOwn || found.length < to.applications.length) throw Fault.argument(DENIED);
      const room = { bytes: MAX_NAMED_BYTES };
      return {
        application: to.group === '' && found.length === 1 ? applicationView(first) : undefined,
        audiences: await Promise.all(audiences.map((each) => prepareOne(to, each, room))),
      };
    },
  };
}
