/** Collections of an account's configuration. */
export const ACCOUNTS = 'accounts';
export const APPLICATIONS = 'applications';
export const TAGS = 'tags';
export const TEST_DEVICES = 'test-devices';
export const ADDRESSES = 'addresses';

/** The id of an e-mail address's state in an account, from the keyed hash of the address. */
export const addressId = (account: string, address: string): string => `${account}:${address}`;
