import type { InboxContent, MessageAccepted } from '@tidings/events';
import { entryFor } from './template.ts';

const DAY_MS = 86_400_000;
const AFTER_MIDNIGHT_MS = 1_000;
export const LONGEST_SEND_MS = 3 * DAY_MS;

export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

const removalOn = (day: number): Date => new Date(day * DAY_MS + AFTER_MIDNIGHT_MS);

/** Entries leave at 00:00:01 UTC (R-I21). */
export const inboxRemovalOf = ({ removalDay, days = 1 }: InboxContent, at: Date): Date =>
  removalOn(removalDay ?? dayOf(at) + days);

interface OfBlock {
  readonly platform: number;
  readonly language: string;
}

function inBlock<Of extends OfBlock>(all: readonly Of[], platform: number, language: string): Of | undefined {
  const own = all.filter((each) => each.platform === platform);
  return entryFor(own.length > 0 ? own : all.filter((each) => each.platform === 0), language);
}

export function inboxRemovalIn({ removals }: InboxContent, platform: number, language: string): Date | undefined {
  const found = inBlock(removals, platform, language);
  return found && removalOn(found.removalDay);
}

export function inboxImageOf(
  { image, pictures }: InboxContent,
  platform: number,
  language: string,
): string | undefined {
  return inBlock(pictures, platform, language)?.image ?? image;
}

export const lastRemovalOf = ({ content, sendAt }: MessageAccepted, acceptedAt: Date): Date | undefined =>
  content?.inbox &&
  inboxRemovalOf(content.inbox, new Date(Math.max(acceptedAt.getTime(), sendAt?.getTime() ?? 0) + LONGEST_SEND_MS));
