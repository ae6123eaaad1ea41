export const ACCOUNTS = 'accounts';
export const APPLICATIONS = 'applications';
export const TAGS = 'tags';
export const TEST_DEVICES = 'test-devices';
export const ADDRESSES = 'addresses';

export const addressId = (account: string, address: string): string => `${account}:${address}`;
