import { ALERT, definitionOf } from '@tidings/channels';
import { ChunkPlanned, InboxAudience } from '@tidings/events';
import { Bitmap, pushPlatforms } from '@tidings/kernel';
import { hourOf } from '../hour-sets.ts';

/** Scanned devices in columns; entry i belongs to device i. */
export interface Candidates {
  readonly count: number;
  readonly positions: Uint16Array;
  readonly platforms: Uint8Array;
  /** Control-group buckets, 0 to 9999 (R-E15). */
  readonly controlBuckets: Uint16Array;
  hasToken(row: number): boolean;
}

/** The properties of the sending application that a plan needs. */
export interface SendingApplication {
  readonly platforms: readonly {
    readonly platform: number;
    /** The flag of R-S5. */
    readonly enabled: boolean;
    /** Credentials are stored. */
    readonly configured: boolean;
    readonly credentialVersion: number;
  }[];
  /** Operator setting, 0 to 100 (R-E15). @default 0 */
  readonly controlGroupPercentage?: number;
  /** Operator setting: pushes with an unknown outcome are not repeated. @default false */
  readonly atMostOnce?: boolean;
}

/** The properties of the message that a plan needs. */
export interface PlanRules {
  readonly chunk: number;
  /** The recipients were named, not selected by conditions. */
  readonly named: boolean;
  readonly transactional: boolean;
  /** Platform codes of the message; empty = R-I5. */
  readonly platforms: readonly number[];
  /** Undefined if the application is deleted. */
  readonly application: SendingApplication | undefined;
  readonly at: Date;
  /** When the entries leave the inboxes; undefined for a message that is not saved to them (R-I21). */
  readonly inboxRemoval?: Date | undefined;
}

/**
 * The reason for excluding an addressed device; the first applicable one counts (R-H11). With e-mail, UNSUBSCRIBED, BOUNCED, COMPLAINT and
 * FILTERED_BY_CATEGORY will precede it, and FREQUENCY_CAPPING will follow it.
 */
export type Exclusion = 'CONTROL_GROUP';

/** The failure of an eligible device before sending (R-H12); the code is always "0" (R-P1). */
type Failure = { readonly category: string; readonly name: string };

const failures = {
  noToken: { category: 'NO_TOKEN', name: 'no_token' },
  platformDisabled: { category: 'PLATFORM_DISABLED', name: 'platform_disabled' },
  notConfigured: { category: 'INVALID_CONFIGURATION', name: 'not_configured' },
  applicationDeleted: { category: 'INTERNAL_ERROR', name: 'application_deleted' },
} as const satisfies Record<string, Failure>;

/** The variant or the failure of one platform's devices with a token. */
type Route = { readonly variant: string } | { readonly failure: Failure };

function routeOf(platform: number, application: SendingApplication | undefined): Route {
  if (!application) return { failure: failures.applicationDeleted };
  const settings = application.platforms.find((each) => each.platform === platform);
  if (!settings?.enabled) return { failure: failures.platformDisabled };
  const isServed = definitionOf(platform) !== undefined && settings.configured;
  return isServed ? { variant: ALERT } : { failure: failures.notConfigured };
}

/** Whether the message addresses devices of this platform (R-I5). */
function isAddressed(platform: number, { platforms, named }: PlanRules): boolean {
  if (platforms.length > 0) return platforms.includes(platform);
  return named || (pushPlatforms as readonly number[]).includes(platform);
}

/** Positions in the order of the scan. */
class Positions {
  #array = new Uint16Array(256);
  #length = 0;

  push(position: number): void {
    if (this.#length === this.#array.length) {
      const larger = new Uint16Array(this.#length * 2);
      larger.set(this.#array);
      this.#array = larger;
    }
    this.#array[this.#length++] = position;
  }

  toSet(): Bitmap {
    return Bitmap.of(this.#array.subarray(0, this.#length));
  }
}

/** The devices of one platform, by outcome. */
interface Group {
  readonly platform: number;
  readonly route: Route;
  readonly addressed: boolean;
  readonly controlGroup: Positions;
  readonly withoutToken: Positions;
  readonly routed: Positions;
  /** Devices without a token that are in the inbox's audience only (R-H12). */
  readonly inboxOnly: { readonly eligible: Positions; readonly controlGroup: Positions };
}

const openGroup = (platform: number, rules: PlanRules): Group => ({
  platform,
  route: routeOf(platform, rules.application),
  addressed: isAddressed(platform, rules),
  controlGroup: new Positions(),
  withoutToken: new Positions(),
  routed: new Positions(),
  inboxOnly: { eligible: new Positions(), controlGroup: new Positions() },
});

function sortDevices(candidates: Candidates, rules: PlanRules): readonly Group[] {
  const groups = new Map<number, Group>();
  const percentage = rules.transactional ? 0 : (rules.application?.controlGroupPercentage ?? 0);
  const buckets = Math.round(percentage * 100);
  const { positions, platforms, controlBuckets, count } = candidates;
  for (let i = 0; i < count; i++) {
    const platform = platforms[i]!;
    let group = groups.get(platform);
    if (!group) groups.set(platform, (group = openGroup(platform, rules)));
    const hasToken = candidates.hasToken(i);
    if (!group.addressed) continue;
    const inControlGroup = controlBuckets[i]! < buckets;
    if (!hasToken && !rules.named) {
      if (rules.inboxRemoval) group.inboxOnly[inControlGroup ? 'controlGroup' : 'eligible'].push(positions[i]!);
    } else if (inControlGroup) group.controlGroup.push(positions[i]!);
    else if (hasToken) group.routed.push(positions[i]!);
    else group.withoutToken.push(positions[i]!);
  }
  return [...groups.values()].sort((a, b) => a.platform - b.platform);
}

const bytesOf = (set: Bitmap): Buffer => Buffer.from(set.encode());

function inboxAudience(groups: readonly Group[], removal: Date): InboxAudience {
  const audience = InboxAudience.fromPartial({ removal: BigInt(Math.floor(removal.getTime() / 1000)) });
  for (const { platform, inboxOnly } of groups) {
    const [eligible, controlGroup] = [inboxOnly.eligible.toSet(), inboxOnly.controlGroup.toSet()];
    if (eligible.size > 0) audience.eligible.push({ platform, set: bytesOf(eligible) });
    if (controlGroup.size > 0) {
      const reason = 'CONTROL_GROUP' satisfies Exclusion;
      audience.excluded.push({ reason, platform, set: bytesOf(controlGroup) });
    }
  }
  return audience;
}

/**
 * Decides the outcome of every candidate of a chunk, once: excluded, eligible, and of the eligible ones those that fail at once and those that are
 * sent to, by variant (R-H11, R-H12). Candidates that the message does not address are in no set. Pure.
 */
export function planChunk(candidates: Candidates, rules: PlanRules): ChunkPlanned {
  const planned = ChunkPlanned.fromPartial({ chunk: rules.chunk, named: rules.named });
  const hour = hourOf(rules.at);
  const groups = sortDevices(candidates, rules);
  planned.inbox = rules.inboxRemoval && inboxAudience(groups, rules.inboxRemoval);
  for (const { platform, route, ...found } of groups) {
    const [controlGroup, withoutToken, routed] = [
      found.controlGroup.toSet(),
      found.withoutToken.toSet(),
      found.routed.toSet(),
    ];
    const fail = ({ category, name }: Failure, set: Bitmap): void => {
      if (set.size > 0) planned.failed.push({ category, code: '0', name, platform, hour, set: bytesOf(set) });
    };
    if (controlGroup.size > 0) {
      planned.excluded.push({ reason: 'CONTROL_GROUP' satisfies Exclusion, platform, set: bytesOf(controlGroup) });
    }
    const eligible = withoutToken.union(routed);
    if (eligible.size === 0) continue;
    planned.eligible.push({ platform, set: bytesOf(eligible) });
    fail(failures.noToken, withoutToken);
    if ('failure' in route) fail(route.failure, routed);
    else if (routed.size > 0) planned.sendable.push({ platform, variant: route.variant, set: bytesOf(routed) });
  }
  return planned;
}
