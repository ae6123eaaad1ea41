import type { BounceCategory } from '@tidings/channels';
import { Bitmap } from '@tidings/kernel';
import { type HourSets, hoursWithout, mergeHours, noHours, upToHour } from './hour-sets.ts';

export interface MailStages {
  readonly accepted: HourSets;
  readonly bounced: Bounces;
  readonly opened: MailOpens;
  readonly clicked: HourSets;
  readonly unsubscribed: HourSets;
  readonly complained: HourSets;
}

export type Bounces = ReadonlyMap<BounceCategory, HourSets>;

export interface MailOpens {
  readonly human: HourSets;
  readonly unknown: HourSets;
  readonly ampp: HourSets;
  readonly machine: HourSets;
}

export const noMail: MailStages = {
  accepted: noHours,
  bounced: new Map<never, never>(),
  clicked: noHours,
  opened: { human: noHours, unknown: noHours, ampp: noHours, machine: noHours },
  unsubscribed: noHours,
  complained: noHours,
};

type BounceClass = 'hard' | 'soft' | 'unclassified';

const bounceClasses: Readonly<Record<BounceCategory, BounceClass>> = {
  BOUNCED_HARD_GENERAL: 'hard',
  BOUNCED_HARD_MAILBOX_FULL: 'hard',
  BOUNCED_HARD_MAILBOX_INACTIVE: 'hard',
  BOUNCED_HARD_SUPPRESSED: 'hard',
  BOUNCED_HARD_UNDETERMINED: 'hard',
  BOUNCED_SOFT_GENERAL: 'soft',
  BOUNCED_SOFT_MAILBOX_FULL: 'soft',
  BOUNCED_SOFT_CONTENT_REJECTED: 'soft',
  BOUNCED_SOFT_SPAM: 'soft',
  BOUNCED_SOFT_MESSAGE_TOO_LARGE: 'soft',
  BOUNCED_SOFT_ATTACHMENT_REJECTED: 'soft',
  BOUNCED_SOFT_CUSTOM_TIMEOUT_EXCEEDED: 'soft',
  BOUNCED_SOFT_UNDETERMINED: 'soft',
  BOUNCED_UNDETERMINED: 'soft',
  BOUNCED_UNCLASSIFIED: 'unclassified',
};

export const bounceCategories = Object.keys(bounceClasses) as readonly BounceCategory[];

const isBounceCategory = (text: string): text is BounceCategory => Object.hasOwn(bounceClasses, text);

export const bounceCategoryOf = (text: string): BounceCategory =>
  isBounceCategory(text) ? text : 'BOUNCED_UNCLASSIFIED';

const unionOf = (sets: readonly Bitmap[]): Bitmap => (sets.length === 1 ? sets[0]! : Bitmap.union(sets));

export const bouncedAs = ({ bounced }: MailStages, of: BounceClass | BounceCategory, last?: number): Bitmap =>
  unionOf(
    [...bounced].flatMap(([category, hours]) =>
      category === of || bounceClasses[category] === of ? [upToHour(hours, last)] : [],
    ),
  );

const bouncedUpTo = ({ bounced }: MailStages, last?: number): Bitmap =>
  unionOf([...bounced.values()].map((hours) => upToHour(hours, last)));

export const confirmedMail = (mail: MailStages, last?: number): HourSets =>
  hoursWithout(mail.accepted, bouncedUpTo(mail, last));

export const openedMail = ({ opened: { human, unknown, ampp, machine }, clicked }: MailStages): HourSets =>
  mergeHours([human, unknown, ampp, machine, clicked]);

export interface OpensSplit {
  readonly human: Bitmap;
  readonly unknown: Bitmap;
  readonly machine: Bitmap;
  readonly ampp: Bitmap;
}

export function splitOpens({ opened, clicked }: MailStages, last?: number): OpensSplit {
  const human = upToHour(opened.human, last).union(upToHour(clicked, last));
  const unknown = upToHour(opened.unknown, last).minus(human);
  const humanOrUnknown = human.union(unknown);
  const [ampp, scanned] = [upToHour(opened.ampp, last), upToHour(opened.machine, last)];
  return {
    human,
    unknown,
    machine: ampp.union(scanned).minus(humanOrUnknown),
    ampp: ampp.minus(humanOrUnknown).minus(scanned),
  };
}

/** Refusals count before reports; one acceptance outweighs later refusals. */
export function firstBounces(accepted: HourSets, refused: Bounces, reported: Bounces): Bounces {
  const acceptedByNow = upToHour(accepted);
  return mergeBounces([
    inOrder(refused, (set) => set.minus(acceptedByNow)),
    inOrder(reported, (set) => set.intersect(acceptedByNow)),
  ]);
}

function inOrder(bounces: Bounces, counted: (set: Bitmap) => Bitmap): Bounces {
  const sets = [...bounces].flatMap(([category, hours]) => [...hours].map(([hour, set]) => ({ category, hour, set })));
  sets.sort((a, b) => a.hour - b.hour || (a.category < b.category ? -1 : 1));
  const first: Bounces[] = [];
  let alreadyCounted = Bitmap.empty;
  for (const { category, hour, set } of sets) {
    const rest = counted(set).minus(alreadyCounted);
    if (rest.size === 0) continue;
    alreadyCounted = alreadyCounted.union(rest);
    first.push(new Map([[category, new Map([[hour, rest]])]]));
  }
  return mergeBounces(first);
}

export function mergeBounces(all: readonly Bounces[]): Bounces {
  const byCategory = Map.groupBy(
    all.flatMap((bounces) => [...bounces]),
    ([category]) => category,
  );
  return new Map([...byCategory].map(([category, alike]) => [category, mergeHours(alike.map(([, hours]) => hours))]));
}
