import { type DocumentAddress, fieldsOf, type LogDefinition, type StateView } from '@tidings/event-store';
import type { ChunkPlanned, PlanEvent } from '@tidings/events';
import {
  allotBadges,
  type BadgeCandidates,
  type Candidates,
  type ChunkKey,
  type CountedPage,
  devicesAtCap,
  type FrequencyCap,
  planChunk,
  planId,
  type PlanRules,
  positionsIn,
} from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import {
  BADGE_BLOCKS,
  COUNTED_PAGES,
  countedPage,
  type CountedPageDocument,
  pageAt,
  pagesOf,
  type PlanDocument,
  planEventCodec,
  PLANS,
} from '@tidings/registry-store';
import { eventOf, type MessageIdentity } from '../release/plan-event.ts';
import {
  type BadgeBlock,
  badgeBlock,
  badgeBlockDocument,
  type BadgeBlockDocument,
  badgeBlocksAt,
  badgeBlocksOfEvent,
  badgeRowsIn,
  badgesWith,
} from './badge-blocks.ts';
import { countedPageDocument, pageOfEvent, pageWith } from './counted-pages.ts';
import {
  PLANNED_DEVICES,
  type PlannedDevices,
  plannedDevices,
  plannedDevicesAt,
  type PlannedDevicesDocument,
  plannedDevicesDocument,
  plannedDevicesOfEvent,
  withPlanned,
} from './planned-devices.ts';
import { evolvePlan, planDocument, type PlanState, planStateOf } from './plans.ts';

type PlansState = PlanState | CountedPage | PlannedDevices | BadgeBlock;

export type PlanCommand =
  | {
      readonly kind: 'plan';
      readonly of: MessageIdentity;
      readonly key: ChunkKey;
      readonly candidates: Candidates;
      readonly badges?: BadgeCandidates | undefined;
      readonly rules: PlanRules;
      readonly capping: FrequencyCap | undefined;
      /** The split of a fan-out with one chunk is committed with the plan. */
      readonly isOnly: boolean;
    }
  | {
      readonly kind: 'fail';
      readonly of: MessageIdentity;
      readonly key: ChunkKey;
      readonly failed: Bitmap;
      readonly counted: boolean;
      readonly badged: Uint8Array | undefined;
      readonly plannedAt: Date;
      readonly at: Date;
    }
  | {
      readonly kind: 'settle';
      readonly of: MessageIdentity;
      readonly key: ChunkKey;
      readonly badged: Uint8Array | undefined;
      readonly at: Date;
    };

export type PlanReply = (DecidedPlan & { readonly fresh: boolean }) | undefined;

export type DecidedPlan = Pick<PlanState, 'planned' | 'badges'>;

const planAt = (key: ChunkKey): DocumentAddress => ({ collection: PLANS, id: planId(key) });

export const planLogOf = ({ application, chunk }: Pick<ChunkKey, 'application' | 'chunk'>): string =>
  `plans-${application}-${chunk}`;

function settled(of: MessageIdentity, key: ChunkKey, at: Date): PlanEvent {
  return eventOf(of, key, at, { $case: 'settled', value: { chunk: key.chunk } });
}

function planned(
  { key, candidates, capping, ...command }: Extract<PlanCommand, { kind: 'plan' }>,
  view: View,
): ChunkPlanned {
  const before = command.rules.once && (view.get(plannedDevicesAt(key)) as PlannedDevices | undefined);
  const rules = before ? { ...command.rules, earlier: before.devices } : command.rules;
  if (!capping) return planChunk(candidates, rules);
  const at = rules.at.getTime();
  const pages = pagesOf(key, capping, at).map((page) => (view.get(page) as CountedPage | undefined) ?? { sends: [] });
  const devices = candidates.positions.subarray(0, candidates.count);
  return planChunk(candidates, { ...rules, capped: devicesAtCap(devices, pages, capping, at) });
}

function newlyIn(sets: readonly Uint8Array[], reported: Bitmap, before: Uint8Array | undefined): Bitmap {
  const alreadyReported = before ? Bitmap.decode(before) : Bitmap.empty;
  return reported.intersect(Bitmap.union(sets.map((set) => Bitmap.decode(set)))).minus(alreadyReported);
}

const encodedSet = (set: Bitmap): Buffer => Buffer.from(set.encode());

function failedEvents(
  { planned: { sendable, ...planned }, badges, ...state }: PlanState,
  { of, key, failed, counted, plannedAt, at }: Extract<PlanCommand, { kind: 'fail' }>,
): PlanEvent[] {
  const events: PlanEvent[] = [];
  const { chunk } = key;
  const sets = sendable.map((each) => each.set);
  const uncounted = planned.counted && counted ? newlyIn(sets, failed, state.failed) : Bitmap.empty;
  if (uncounted.size > 0) {
    const value = { chunk, set: encodedSet(uncounted), plannedAt };
    events.push(eventOf(of, key, at, { $case: 'sendsFailed', value }));
  }
  const returned = badges ? newlyIn([badges.set], failed, state.returned) : Bitmap.empty;
  if (returned.size > 0) {
    const value = { chunk, failed: encodedSet(returned), kept: Buffer.alloc(0) };
    events.push(eventOf(of, key, at, { $case: 'badgesSettled', value }));
  }
  return events;
}

function settledEvents(
  { badges, returned }: PlanState,
  { of, key, at }: Extract<PlanCommand, { kind: 'settle' }>,
): PlanEvent[] {
  const kept = badges ? newlyIn([badges.set], Bitmap.decode(badges.set), returned) : Bitmap.empty;
  if (kept.size === 0) return [settled(of, key, at)];
  const value = { chunk: key.chunk, failed: Buffer.alloc(0), kept: encodedSet(kept) };
  return [settled(of, key, at), eventOf(of, key, at, { $case: 'badgesSettled', value })];
}

type View = StateView<PlansState>;

const planIn = (view: View, key: ChunkKey): PlanState | undefined => view.get(planAt(key)) as PlanState | undefined;

function needsOf(command: PlanCommand): DocumentAddress[] {
  const { key } = command;
  const plan = planAt(key);
  switch (command.kind) {
    case 'plan': {
      const { at, counted, once } = command.rules;
      const own = [plan, ...(once ? [plannedDevicesAt(key)] : []), ...badgeNeedsOf(command)];
      if (command.capping) return [...own, ...pagesOf(key, command.capping, at.getTime())];
      return counted ? [...own, pageAt(key, at.getTime())] : own;
    }
    case 'fail':
      return [
        plan,
        pageAt(key, command.plannedAt.getTime()),
        ...(command.badged ? badgeBlocksAt(key, command.failed.positions()) : []),
      ];
    case 'settle':
      return [plan, ...(command.badged ? badgeBlocksAt(key, positionsIn(command.badged)) : [])];
  }
}

function badgeNeedsOf({ key, badges, candidates }: Extract<PlanCommand, { kind: 'plan' }>): DocumentAddress[] {
  if (!badges) return [];
  const positions = Bitmap.of(candidates.positions.subarray(0, candidates.count)).positions();
  return badgeBlocksAt(key, positions);
}

/** Plans that are made at the same time see each other's sends and badges. */
export const plansLog: LogDefinition<PlanCommand, PlanEvent, PlansState, PlanReply> = {
  category: 'plans',
  needs: (command) => ({ ids: needsOf(command) }),
  decide(command, view) {
    const { of, key } = command;
    const state = planIn(view, key);
    const reply = state && { planned: state.planned, badges: state.badges, fresh: false };
    if (command.kind === 'settle') {
      return { events: state && !state.settledAt ? settledEvents(state, command) : [], reply };
    }
    if (command.kind === 'fail') return { events: state ? failedEvents(state, command) : [], reply };
    const { at, content } = command.rules;
    if (state) return { events: [], reply };
    const events: PlanEvent[] = [];
    if (command.isOnly) events.push(eventOf(of, key, at, { $case: 'fanout', value: { chunks: [key.chunk] } }));
    const plan = { ...planned(command, view), only: command.isOnly };
    events.push(eventOf(of, key, at, { $case: 'chunk', value: plan }));
    const badges =
      command.badges &&
      allotBadges(
        plan,
        content,
        command.badges,
        badgeRowsIn((address) => view.get(address), key),
      );
    if (badges) events.push(eventOf(of, key, at, { $case: 'badgesAllotted', value: badges }));
    if (plan.sendable.length === 0) events.push(settled(of, key, at));
    return { events, reply: { planned: plan, badges, fresh: true } };
  },
  addresses: (of) => {
    const { event } = of;
    // A split that is committed with its plan follows from it.
    if (event === undefined || event.$case === 'fanout') return [];
    const plan = planAt({ ...of, chunk: event.value.chunk });
    const others = [pageOfEvent(of), plannedDevicesOfEvent(of)].filter((address) => address !== undefined);
    return [plan, ...others, ...badgeBlocksOfEvent(of)];
  },
  evolve(state, event, address) {
    switch (address.collection) {
      case BADGE_BLOCKS:
        return badgesWith(state as BadgeBlock | undefined, event, address);
      case COUNTED_PAGES:
        return pageWith(state as CountedPage | undefined, event);
      case PLANNED_DEVICES:
        return withPlanned(state as PlannedDevices | undefined, event);
      default:
        return evolvePlan(state as PlanState | undefined, event);
    }
  },
  ...planEventCodec,
  toDocument(state, { id }) {
    if ('rows' in state) return { ...badgeBlockDocument(state) };
    if ('devices' in state) return { ...plannedDevicesDocument(state) };
    return 'sends' in state ? { ...countedPageDocument(state, id) } : planDocument(state);
  },
  fields: {
    [PLANS]: fieldsOf<PlanDocument>({
      event: true,
      slices: true,
      named: true,
      at: true,
      settledAt: true,
      inbox: true,
      counted: true,
      failed: true,
      badged: true,
      badges: true,
      returned: true,
    }),
    [BADGE_BLOCKS]: fieldsOf<BadgeBlockDocument>({ rows: true }),
    [COUNTED_PAGES]: fieldsOf<CountedPageDocument>({ day: true, sends: true }),
    [PLANNED_DEVICES]: fieldsOf<PlannedDevicesDocument>({ devices: true }),
  },
  fromDocument(document, { collection }) {
    if (collection === COUNTED_PAGES) return countedPage(document as unknown as CountedPageDocument);
    if (collection === BADGE_BLOCKS) return badgeBlock(document as unknown as BadgeBlockDocument);
    if (collection === PLANNED_DEVICES) return plannedDevices(document as unknown as PlannedDevicesDocument);
    return planStateOf(document as unknown as PlanDocument);
  },
};
