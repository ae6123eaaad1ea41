import type { api } from '@tidings/contract';
import { jsonInteger } from '@tidings/kernel';
import type { GetTagsReply } from '@tidings/rpc';
import type { Handler } from '../../context.ts';

export function shownTags({ tags, integers }: GetTagsReply): Record<string, unknown> {
  const exact = Object.entries(integers).map(([name, value]) => [name, jsonInteger(value)]);
  return exact.length === 0 ? (tags ?? {}) : { ...tags, ...(Object.fromEntries(exact) as object) };
}

export const getTags: Handler<typeof api.getTags, 'devices'> = async (
  { application, hwid, userId },
  { devices },
  { account },
) => {
  const found = await devices.getTags({
    account,
    application,
    hwid: hwid ?? '',
    userId: hwid === undefined ? (userId ?? '') : '',
  });
  return { result: shownTags(found) };
};
