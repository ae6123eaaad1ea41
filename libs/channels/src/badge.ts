/** A relative badge, "+1" or "-2", as a number, which is added to the device's badge; undefined for an absolute one, and for none (R-C9). */
export const relativeBadge = (badge: string | undefined): number | undefined =>
  badge !== undefined && /^[+-]\d{1,9}$/.test(badge) ? Number(badge) : undefined;
