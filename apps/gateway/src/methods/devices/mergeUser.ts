import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const mergeUser: Handler<typeof api.mergeUser, 'devices'> = async (input, { devices }, call) => {
  const { account, idempotencyKey } = call;
  const { application, oldUserId, newUserId = '', merge = true } = input;
  await devices.mergeUser({ account, application, oldUserId, newUserId, merge, idempotencyKey });
};
