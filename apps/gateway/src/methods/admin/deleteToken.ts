import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const deleteToken: Handler<typeof api.deleteToken> = async ({ id }, { accounts }) => {
  const { revoked } = await accounts.revokeToken({ id });
  if (!revoked) throw Fault.notFound('Token not found');
};
