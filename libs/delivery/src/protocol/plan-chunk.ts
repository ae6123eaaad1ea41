import { definitionOf, fieldBit, TOKEN_BIT } from '@tidings/channels';
import { ChunkPlanned, type Content, InboxAudience } from '@tidings/events';
import { Bitmap, pushPlatforms } from '@tidings/kernel';
import { hourOf } from '../hour-sets.ts';
import type { FrequencyCap } from './frequency-cap.ts';

export interface Candidates {
  readonly count: number;
  readonly positions: Uint16Array;
  readonly platforms: Uint8Array;
  /** Buckets are 0 to 9999 (R-E15). */
  readonly controlBuckets: Uint16Array;
  /** Bits of `TOKEN_BIT` and `fieldBit`. */
  readonly fields: Uint8Array;
}

export interface SendingApplication {
  readonly title?: string;
  readonly platforms: readonly {
    readonly platform: number;
    readonly enabled: boolean;
    readonly configured: boolean;
    readonly credentialVersion: number;
  }[];
  readonly controlGroupPercentage?: number;
  readonly capping?: FrequencyCap | undefined;
  readonly atMostOnce?: boolean;
}

export interface PlanRules {
  readonly chunk: number;
  readonly named: boolean;
  readonly transactional: boolean;
  readonly once?: boolean;
  readonly earlier?: Bitmap | undefined;
  readonly platforms: readonly number[];
  readonly content: Content | undefined;
  readonly application: SendingApplication | undefined;
  readonly sliceSize?: number;
  readonly counted?: boolean;
  readonly suppressed?: Suppressed | undefined;
  readonly capped?: Bitmap | undefined;
  readonly at: Date;
  readonly inboxRemoval?: Date | undefined;
}

export type Suppression = 'UNSUBSCRIBED' | 'BOUNCED' | 'COMPLAINT' | 'FILTERED_BY_CATEGORY';

export type Suppressed = readonly { readonly reason: Suppression; readonly set: Bitmap }[];

/** The first applicable reason counts (R-H11). */
export type Exclusion = Suppression | 'CONTROL_GROUP' | 'FREQUENCY_CAPPING';

type Failure = { readonly category: string; readonly name: string };

const failures = {
  noToken: { category: 'NO_TOKEN', name: 'no_token' },
  platformDisabled: { category: 'PLATFORM_DISABLED', name: 'platform_disabled' },
  notConfigured: { category: 'INVALID_CONFIGURATION', name: 'not_configured' },
  applicationDeleted: { category: 'INTERNAL_ERROR', name: 'application_deleted' },
} as const satisfies Record<string, Failure>;

function failureOf(platform: number, application: SendingApplication | undefined): Failure | undefined {
  if (!application) return failures.applicationDeleted;
  const settings = application.platforms.find((each) => each.platform === platform);
  if (!settings?.enabled) return failures.platformDisabled;
  return definitionOf(platform) && settings.configured ? undefined : failures.notConfigured;
}

interface VariantChoice {
  readonly variant: string;
  readonly fields: number;
}

function variantChoicesOf(platform: number, content: Content | undefined): readonly VariantChoice[] {
  const definition = definitionOf(platform);
  if (!definition) return [{ variant: '', fields: TOKEN_BIT }];
  const variants = definition.variantsFor(content).map((variant) => ({ variant, ...definition.variants[variant]! }));
  const preferred = variants.map(({ variant, address, columns = [] }) => ({
    variant,
    fields: columns.reduce((bits, field) => bits | fieldBit(field), address ? fieldBit(address) : TOKEN_BIT),
  }));
  const byToken = variants.find(({ address }) => address === undefined);
  return byToken ? [...preferred, { variant: byToken.variant, fields: TOKEN_BIT }] : preferred;
}

function isAddressed(platform: number, { platforms, named }: PlanRules): boolean {
  if (platforms.length > 0) return platforms.includes(platform);
  return named || (pushPlatforms as readonly number[]).includes(platform);
}

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

interface Group {
  readonly platform: number;
  readonly addressed: boolean;
  readonly choices: readonly VariantChoice[];
  readonly suppressed: readonly Positions[];
  readonly controlGroup: Positions;
  readonly capped: Positions;
  readonly withoutToken: Positions;
  readonly chosen: readonly Positions[];
  readonly inboxOnly: { readonly eligible: Positions; readonly controlGroup: Positions };
}

function openGroup(platform: number, rules: PlanRules): Group {
  const choices = variantChoicesOf(platform, rules.content);
  return {
    platform,
    addressed: isAddressed(platform, rules),
    choices,
    suppressed: (rules.suppressed ?? []).map(() => new Positions()),
    controlGroup: new Positions(),
    capped: new Positions(),
    withoutToken: new Positions(),
    chosen: choices.map(() => new Positions()),
    inboxOnly: { eligible: new Positions(), controlGroup: new Positions() },
  };
}

function chooseVariant(choices: readonly VariantChoice[], fields: number): number {
  for (let i = 0; i < choices.length; i++) if ((fields & choices[i]!.fields) === choices[i]!.fields) return i;
  return -1;
}

function positionsFor(
  { controlGroup, capped, chosen, withoutToken }: Group,
  inControlGroup: boolean,
  isCapped: boolean,
  choice: number,
): Positions {
  if (inControlGroup) return controlGroup;
  if (isCapped) return capped;
  return chosen[choice] ?? withoutToken;
}

function sortDevices(candidates: Candidates, rules: PlanRules, capped: Bitmap): readonly Group[] {
  const groups = new Map<number, Group>();
  const percentage = rules.transactional ? 0 : (rules.application?.controlGroupPercentage ?? 0);
  const buckets = Math.round(percentage * 100);
  const { positions, platforms, controlBuckets, fields, count } = candidates;
  for (let i = 0; i < count; i++) {
    const platform = platforms[i]!;
    let group = groups.get(platform);
    if (!group) groups.set(platform, (group = openGroup(platform, rules)));
    if (!group.addressed || rules.earlier?.has(positions[i]!)) continue;
    const choice = chooseVariant(group.choices, fields[i]!);
    const suppression = rules.suppressed?.findIndex(({ set }) => set.has(positions[i]!)) ?? -1;
    if (suppression >= 0 && (choice >= 0 || rules.named)) {
      group.suppressed[suppression]!.push(positions[i]!);
      continue;
    }
    const inControlGroup = controlBuckets[i]! < buckets;
    if (choice < 0 && !rules.named) {
      if (rules.inboxRemoval) group.inboxOnly[inControlGroup ? 'controlGroup' : 'eligible'].push(positions[i]!);
    } else positionsFor(group, inControlGroup, capped.has(positions[i]!), choice).push(positions[i]!);
  }
  return [...groups.values()].sort((a, b) => a.platform - b.platform);
}

function byVariant(choices: readonly VariantChoice[], chosen: readonly Positions[]): ReadonlyMap<string, Bitmap> {
  const sets = new Map<string, Bitmap>();
  for (const [i, { variant }] of choices.entries()) {
    const set = chosen[i]!.toSet();
    if (set.size > 0) sets.set(variant, sets.get(variant)?.union(set) ?? set);
  }
  return sets;
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

export function planChunk(candidates: Candidates, rules: PlanRules): ChunkPlanned {
  const planned = ChunkPlanned.fromPartial({
    chunk: rules.chunk,
    named: rules.named,
    counted: rules.counted ?? false,
    once: rules.once ?? false,
    sliceSize: rules.sliceSize ?? 0,
  });
  const hour = hourOf(rules.at);
  const groups = sortDevices(candidates, rules, rules.capped ?? Bitmap.empty);
  planned.inbox = rules.inboxRemoval && inboxAudience(groups, rules.inboxRemoval);
  for (const { platform, choices, ...found } of groups) {
    const withoutToken = found.withoutToken.toSet();
    const recipients = byVariant(choices, found.chosen);
    const routed = Bitmap.union([...recipients.values()]);
    const failure = failureOf(platform, rules.application);
    const fail = ({ category, name }: Failure, set: Bitmap): void => {
      if (set.size > 0) planned.failed.push({ category, code: '0', name, platform, hour, set: bytesOf(set) });
    };
    const exclude = (reason: Exclusion, set: Bitmap): void => {
      if (set.size > 0) planned.excluded.push({ reason, platform, set: bytesOf(set) });
    };
    rules.suppressed?.forEach(({ reason }, i) => exclude(reason, found.suppressed[i]!.toSet()));
    exclude('CONTROL_GROUP', found.controlGroup.toSet());
    exclude('FREQUENCY_CAPPING', found.capped.toSet());
    const eligible = withoutToken.union(routed);
    if (eligible.size === 0) continue;
    planned.eligible.push({ platform, set: bytesOf(eligible) });
    fail(failures.noToken, withoutToken);
    if (failure) fail(failure, routed);
    else for (const [variant, set] of recipients) planned.sendable.push({ platform, variant, set: bytesOf(set) });
  }
  return planned;
}

export const devicesOf = ({ eligible, excluded, inbox }: ChunkPlanned): Bitmap =>
  Bitmap.union(
    [...eligible, ...excluded, ...(inbox ? [...inbox.eligible, ...inbox.excluded] : [])].map(({ set }) =>
      Bitmap.decode(set),
    ),
  );
