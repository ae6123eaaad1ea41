import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

const noComplaint = (): Fault => Fault.notFound('Address has no complaint');

export const getComplaint: Handler<typeof api.getComplaint> = async ({ address, account = '' }, { accounts }) => {
  const { complainedSince } = await accounts.findAddress({ account, email: address });
  if (!complainedSince) throw noComplaint();
  return { address, complained_at: rfc3339(complainedSince) };
};

export const recordComplaint: Handler<typeof api.recordComplaint> = async ({ address, account = '' }, { accounts }) => {
  const { complainedSince } = await accounts.recordComplaint({ account, email: address });
  // Another request cleared it in the meantime.
  if (!complainedSince) throw noComplaint();
  return { address, complained_at: rfc3339(complainedSince) };
};

export const clearComplaint: Handler<typeof api.clearComplaint> = async ({ address, account = '' }, { accounts }) => {
  await accounts.clearComplaint({ account, email: address });
};
