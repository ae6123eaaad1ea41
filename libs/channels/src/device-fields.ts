export const addressFields = ['fcmToken', 'startToken'] as const;

export const ACTIVITY_TOKEN = 'activityToken';

export type AddressField = (typeof addressFields)[number] | typeof ACTIVITY_TOKEN;

export const deviceFields = ['publicKey', 'authToken', ...addressFields, ACTIVITY_TOKEN] as const;

export type DeviceField = (typeof deviceFields)[number];

export const TOKEN_BIT = 1;

export const fieldBit = (field: DeviceField): number => 2 << deviceFields.indexOf(field);
