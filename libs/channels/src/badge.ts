/** Whether a badge adds to the one that a device has; what it comes to is worked out for each device (R-C9). */
export const isRelative = (badge: string): boolean => /^[+-]/.test(badge);
