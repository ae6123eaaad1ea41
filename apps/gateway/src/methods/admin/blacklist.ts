import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

const notBlacklisted = (): Fault => Fault.notFound('Address is not blacklisted');

export const getBlacklisted: Handler<typeof api.getBlacklisted, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { blacklistedSince } = await addresses.findAddress({ account, email: address });
  if (!blacklistedSince) throw notBlacklisted();
  return { address, blacklisted_at: rfc3339(blacklistedSince) };
};

export const blacklistAddress: Handler<typeof api.blacklistAddress, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { blacklistedSince } = await addresses.blacklistAddress({ account, email: address });
  // Another request removed it in the meantime.
  if (!blacklistedSince) throw notBlacklisted();
  return { address, blacklisted_at: rfc3339(blacklistedSince) };
};

export const clearAddress: Handler<typeof api.clearAddress, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  await addresses.clearAddress({ account, email: address });
};
