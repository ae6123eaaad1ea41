/** Whether a badge is added to the device's badge; the sum is computed per device (R-C9). */
export const isRelative = (badge: string): boolean => /^[+-]/.test(badge);
