import type { BadgeChange } from '@tidings/events';

export const MAX_BADGE = 2_147_483_647;

export const relativeBadge = (badge: string | undefined): number | undefined =>
  badge !== undefined && /^[+-]\d{1,9}$/.test(badge) ? Number(badge) : undefined;

export const absoluteBadge = (badge: unknown): string | undefined => {
  const text = String(badge);
  return /^\d{1,10}$/.test(text) ? text : undefined;
};

export function badgeChange(badge: string | undefined): BadgeChange | undefined {
  const by = relativeBadge(badge);
  if (by !== undefined) return { absolute: false, value: by };
  if (badge === undefined || !/^\d{1,10}$/.test(badge)) return undefined;
  return { absolute: true, value: Math.min(Number(badge), MAX_BADGE) };
}
