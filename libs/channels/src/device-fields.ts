/** Addresses of a device besides its push token, by the fields that hold them. */
export const addressFields = ['fcmToken', 'startToken'] as const;

/** The token of the message's live activity: a device has one for each activity. */
export const ACTIVITY_TOKEN = 'activityToken';

export type AddressField = (typeof addressFields)[number] | typeof ACTIVITY_TOKEN;

/** Fields of a device, besides its push token, that variants use; a batch carries them in columns of these names (sending 3). */
export const deviceFields = ['publicKey', 'authToken', ...addressFields, ACTIVITY_TOKEN] as const;

export type DeviceField = (typeof deviceFields)[number];

/** Bit of the push token in a set of device fields. */
export const TOKEN_BIT = 1;

/** Bit of a field in a set of device fields. */
export const fieldBit = (field: DeviceField): number => 2 << deviceFields.indexOf(field);
