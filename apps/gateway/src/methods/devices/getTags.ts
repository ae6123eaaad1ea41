import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const getTags: Handler<typeof api.getTags> = async ({ application, hwid, userId }, { devices }, { account }) => {
  const { tags } = await devices.getTags({
    account,
    application,
    hwid: hwid ?? '',
    userId: hwid === undefined ? (userId ?? '') : '',
  });
  return { result: tags ?? {} };
};
