import type { api } from '@tidings/contract';
import { jsonInteger } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const getTags: Handler<typeof api.getTags, 'devices'> = async (
  { application, hwid, userId },
  { devices },
  { account },
) => {
  const { tags, integers } = await devices.getTags({
    account,
    application,
    hwid: hwid ?? '',
    userId: hwid === undefined ? (userId ?? '') : '',
  });
  const exact = Object.entries(integers).map(([name, value]) => [name, jsonInteger(value)]);
  return { result: exact.length === 0 ? (tags ?? {}) : { ...tags, ...(Object.fromEntries(exact) as object) } };
};
