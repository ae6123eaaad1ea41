/** Addresses of a device besides its push token. */
export const addressFields = ['fcmToken', 'startToken'] as const;

export type AddressField = (typeof addressFields)[number];

/** Fields of a device, besides its push token, that variants use; a batch carries them in columns of these names (sending 3). */
export const deviceFields = ['publicKey', 'authToken', ...addressFields] as const;

export type DeviceField = (typeof deviceFields)[number];

/** Bit of the push token in a set of device fields. */
export const TOKEN_BIT = 1;

/** Bit of a field in a set of device fields. */
export const fieldBit = (field: DeviceField): number => 2 << deviceFields.indexOf(field);
