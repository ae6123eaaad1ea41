import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

const noComplaint = (): Fault => Fault.notFound('Address has no complaint');

export const getComplaint: Handler<typeof api.getComplaint, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { complainedSince } = await addresses.findAddress({ account, email: address });
  if (!complainedSince) throw noComplaint();
  return { address, complained_at: rfc3339(complainedSince) };
};

export const recordComplaint: Handler<typeof api.recordComplaint, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  const { complainedSince } = await addresses.recordComplaint({ account, email: address });
  // Another request cleared it in the meantime.
  if (!complainedSince) throw noComplaint();
  return { address, complained_at: rfc3339(complainedSince) };
};

export const clearComplaint: Handler<typeof api.clearComplaint, 'addresses'> = async (
  { address, account = '' },
  { addresses },
) => {
  await addresses.clearComplaint({ account, email: address });
};
