import type { InboxContent, MessageAccepted } from '@tidings/events';
import { entryFor } from './template.ts';

const DAY_MS = 86_400_000;
/** An entry leaves one second after the day began. */
const AFTER_MIDNIGHT_MS = 1_000;
/** A send may last longer than a day, with its retries and the recipients' time zones. */
export const LONGEST_SEND_MS = 3 * DAY_MS;

/** The day of an instant in UTC, counted from 1970. */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

const removalOn = (day: number): Date => new Date(day * DAY_MS + AFTER_MIDNIGHT_MS);

/** Time at which an entry that is saved at `at` leaves the inbox, at the latest: 00:00:01 UTC of the day that the message names, or of the next day (R-I21). */
export const inboxRemovalOf = ({ removalDay, days = 1 }: InboxContent, at: Date): Date =>
  removalOn(removalDay ?? dayOf(at) + days);

interface OfBlock {
  readonly platform: number;
  readonly language: string;
}

/** What the block says that a platform and a language choose (R-O4). */
function inBlock<Of extends OfBlock>(all: readonly Of[], platform: number, language: string): Of | undefined {
  const own = all.filter((each) => each.platform === platform);
  return entryFor(own.length > 0 ? own : all.filter((each) => each.platform === 0), language);
}

/** Time at which an entry leaves the inbox by the block of a platform and a language; undefined unless blocks differ. */
export function inboxRemovalIn({ removals }: InboxContent, platform: number, language: string): Date | undefined {
  const found = inBlock(removals, platform, language);
  return found && removalOn(found.removalDay);
}

/**
 * The picture of an entry for a platform and a language, undefined without one: that of the block which the platform and the language choose, or else
 * of the message (R-O4).
 */
export function inboxImageOf(
  { image, pictures }: InboxContent,
  platform: number,
  language: string,
): string | undefined {
  return inBlock(pictures, platform, language)?.image ?? image;
}

/** Time at which the last entry of a message has left the inboxes; undefined for a message without entries. */
export const lastRemovalOf = ({ content, sendAt }: MessageAccepted, acceptedAt: Date): Date | undefined =>
  content?.inbox &&
  inboxRemovalOf(content.inbox, new Date(Math.max(acceptedAt.getTime(), sendAt?.getTime() ?? 0) + LONGEST_SEND_MS));
