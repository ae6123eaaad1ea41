import type { BadgeChange } from '@tidings/events';

export const MAX_BADGE = 2_147_483_647;

/** A relative badge, "+1" or "-2", as a number, which is added to the device's badge; undefined for an absolute one, and for none (R-C9). */
export const relativeBadge = (badge: string | undefined): number | undefined =>
  badge !== undefined && /^[+-]\d{1,9}$/.test(badge) ? Number(badge) : undefined;

/** A badge in root params; undefined for anything but a number, which is not added to. */
export const absoluteBadge = (badge: unknown): string | undefined => {
  const text = String(badge);
  return /^\d{1,10}$/.test(text) ? text : undefined;
};

/** What a badge does to that of a device; undefined for none (R-C9). */
export function badgeChange(badge: string | undefined): BadgeChange | undefined {
  const by = relativeBadge(badge);
  if (by !== undefined) return { absolute: false, value: by };
  if (badge === undefined || !/^\d{1,10}$/.test(badge)) return undefined;
  return { absolute: true, value: Math.min(Number(badge), MAX_BADGE) };
}
