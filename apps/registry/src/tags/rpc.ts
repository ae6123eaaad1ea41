import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_ACCOUNT } from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import type { Accounts } from '@tidings/rpc';
import type { AccountWriter } from '../accounts/writer.ts';
import { TAG_PATIENCE_MS, type Tags } from './tags.ts';

type TagMethods = Pick<Accounts, 'addTag' | 'listTags'>;

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/**
 * An account's tags (Spec D).
 * @param hasReplicas whether other processes answer for the account, too: what they know of its tags is waited out.
 */
export const tagsRpc = (tags: Tags, write: AccountWriter, clock: Clock, hasReplicas: boolean): TagMethods => ({
  async addTag({ account, name, type, applicationSpecific }) {
    const action = { type: 'addTag', name, tagType: type, applicationSpecific } as const;
    const owner = account || DEFAULT_ACCOUNT;
    await write({ account: owner, action, at: new Date(clock.now()) });
    await Promise.all([tags.read(owner), hasReplicas ? delay(TAG_PATIENCE_MS) : undefined]);
    return {};
  },

  async listTags({ account }) {
    const { all } = await tags.read(account || DEFAULT_ACCOUNT);
    return {
      tags: all
        .map(({ name, type, applicationSpecific, number }) => ({ name, type, applicationSpecific, number }))
        .sort(byName),
    };
  },
});
