import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

/** Another request may have removed the address meanwhile. */
function blacklisted(address: string, since: Date | undefined) {
  if (!since) throw Fault.notFound('Address is not blacklisted');
  return { address, blacklisted_at: rfc3339(since) };
}

export const getBlacklisted: Handler<typeof api.getBlacklisted, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { blacklistedSince } = await addresses.findAddress({ account, email: address });
  return blacklisted(address, blacklistedSince);
};

export const blacklistAddress: Handler<typeof api.blacklistAddress, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { blacklistedSince } = await addresses.blacklistAddress({ account, email: address });
  return blacklisted(address, blacklistedSince);
};

export const clearAddress: Handler<typeof api.clearAddress, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  await addresses.clearAddress({ account, email: address });
};

function complained(address: string, since: Date | undefined) {
  if (!since) throw Fault.notFound('Address has no complaint');
  return { address, complained_at: rfc3339(since) };
}

export const getComplaint: Handler<typeof api.getComplaint, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { complainedSince } = await addresses.findAddress({ account, email: address });
  return complained(address, complainedSince);
};

export const recordComplaint: Handler<typeof api.recordComplaint, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { complainedSince } = await addresses.recordComplaint({ account, email: address });
  return complained(address, complainedSince);
};

export const clearComplaint: Handler<typeof api.clearComplaint, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  await addresses.clearComplaint({ account, email: address });
};
