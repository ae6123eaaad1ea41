import type { BounceCategory } from '@tidings/channels';
import { Bitmap } from '@tidings/kernel';
import { type HourSets, hoursWithout, mergeHours, noHours, upToHour } from './hour-sets.ts';

/** The stages of the e-mails to the devices of a chunk (R-E16 to R-E18). */
export interface MailStages {
  /** E-mails that the receiving side accepted; all other sent ones are bounced. */
  readonly accepted: HourSets;
  /** Refused, or accepted and returned later; all of them are sent, and each belongs to its first bounce. */
  readonly bounced: Bounces;
  readonly opened: MailOpens;
  /** Clicks by a person, each of which implies an open by that person (R-E17). */
  readonly clicked: HourSets;
  readonly unsubscribed: HourSets;
  readonly complained: HourSets;
}

/** Devices by the category of a bounce. */
export type Bounces = ReadonlyMap<BounceCategory, HourSets>;

/** Devices by the class of an open, in each class by the first one. */
export interface MailOpens {
  readonly human: HourSets;
  readonly unknown: HourSets;
  /** Apple Mail Privacy Protection. */
  readonly ampp: HourSets;
  /** Scanners. */
  readonly machine: HourSets;
}

/** An e-mail that was not sent to anyone. */
export const noMail: MailStages = {
  accepted: noHours,
  bounced: new Map<never, never>(),
  clicked: noHours,
  opened: { human: noHours, unknown: noHours, ampp: noHours, machine: noHours },
  unsubscribed: noHours,
  complained: noHours,
};

type BounceClass = 'hard' | 'soft' | 'unclassified';

/** The class of each category, in the order of the funnel's pieces (R-H15). */
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

/** All categories of bounces, in the order of the funnel's pieces. */
export const bounceCategories = Object.keys(bounceClasses) as readonly BounceCategory[];

const isBounceCategory = (text: string): text is BounceCategory => Object.hasOwn(bounceClasses, text);

/** A category as facts spell it; one of another version is unclassified. */
export const bounceCategoryOf = (text: string): BounceCategory =>
  isBounceCategory(text) ? text : 'BOUNCED_UNCLASSIFIED';

const unionOf = (sets: readonly Bitmap[]): Bitmap => (sets.length === 1 ? sets[0]! : Bitmap.union(sets));

/** Recipients with a bounce of this class. @param last in hours @default all count */
export const bouncedAs = ({ bounced }: MailStages, of: BounceClass | BounceCategory, last?: number): Bitmap =>
  unionOf(
    [...bounced].flatMap(([category, hours]) =>
      category === of || bounceClasses[category] === of ? [upToHour(hours, last)] : [],
    ),
  );

const bouncedUpTo = ({ bounced }: MailStages, last?: number): Bitmap =>
  unionOf([...bounced.values()].map((hours) => upToHour(hours, last)));

/** Recipients whose e-mail was accepted and has not bounced, by the hour of the acceptance. @param last of bounces, in hours @default all count */
export const confirmedMail = (mail: MailStages, last?: number): HourSets =>
  hoursWithout(mail.accepted, bouncedUpTo(mail, last));

/** Recipients by their first open of any class. */
export const openedMail = ({ opened: { human, unknown, ampp, machine }, clicked }: MailStages): HourSets =>
  mergeHours([human, unknown, ampp, machine, clicked]);

/** The recipients of a split of opens; they are disjoint (R-H19). */
export interface OpensSplit {
  readonly human: Bitmap;
  /** Recipients with an unknown open, and without a human one. */
  readonly unknown: Bitmap;
  /** Recipients with opens by machines only. */
  readonly machine: Bitmap;
  /** The `machine` recipients whose opens are all by Apple Mail Privacy Protection. */
  readonly ampp: Bitmap;
}

/** Opens until `last`, in hours. */
export function splitOpens({ opened, clicked }: MailStages, last?: number): OpensSplit {
  const human = upToHour(opened.human, last).union(upToHour(clicked, last));
  const unknown = upToHour(opened.unknown, last).minus(human);
  const people = human.union(unknown);
  const [ampp, scanned] = [upToHour(opened.ampp, last), upToHour(opened.machine, last)];
  return {
    human,
    unknown,
    machine: ampp.union(scanned).minus(people),
    ampp: ampp.minus(people).minus(scanned),
  };
}

/**
 * Each recipient under its first bounce, by hour and then by category; a refusal comes before a bounce report, and a report counts only where the
 * e-mail was accepted. A recipient whose e-mail was accepted once counts as accepted, however often others to the same recipient were refused.
 */
export function firstBounces(accepted: HourSets, refused: Bounces, reported: Bounces): Bounces {
  const taken = upToHour(accepted);
  return mergeBounces([inOrder(refused, (set) => set.minus(taken)), inOrder(reported, (set) => set.intersect(taken))]);
}

function inOrder(bounces: Bounces, counted: (set: Bitmap) => Bitmap): Bounces {
  const sets = [...bounces].flatMap(([category, hours]) => [...hours].map(([hour, set]) => ({ category, hour, set })));
  sets.sort((a, b) => a.hour - b.hour || (a.category < b.category ? -1 : 1));
  const first: Bounces[] = [];
  let known = Bitmap.empty;
  for (const { category, hour, set } of sets) {
    const rest = counted(set).minus(known);
    if (rest.size === 0) continue;
    known = known.union(rest);
    first.push(new Map([[category, new Map([[hour, rest]])]]));
  }
  return mergeBounces(first);
}

/** The union of all, each recipient in every category at its earliest time. */
export function mergeBounces(all: readonly Bounces[]): Bounces {
  const byCategory = Map.groupBy(
    all.flatMap((bounces) => [...bounces]),
    ([category]) => category,
  );
  return new Map([...byCategory].map(([category, alike]) => [category, mergeHours(alike.map(([, hours]) => hours))]));
}
