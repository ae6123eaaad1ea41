import { setTimeout as delay } from 'node:timers/promises';
import { type AccountAction, DEFAULT_ACCOUNT, MAX_TAGS_AT_ONCE } from '@tidings/audience';
import { type Clock, Fault, quotaReached, type Quotas } from '@tidings/kernel';
import { TAG_MAX_AGE_MS, type Tags } from '@tidings/registry-store';
import type { Tags as TagsRpc } from '@tidings/rpc';
import type { AccountReply } from '../accounts/account-log.ts';
import type { AccountWriter } from '../accounts/account-writer.ts';
import type { TagClearing } from './clearing.ts';

export interface TagsDeps {
  readonly tags: Tags;
  readonly write: AccountWriter;
  readonly clock: Clock;
  readonly clearing: Pick<TagClearing, 'begin'>;
  readonly quotas: Pick<Quotas, 'tags'>;
  /** Changes then wait until other caches expire. */
  readonly hasReplicas: boolean;
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

export function tagsRpc({ tags, write, clock, clearing, quotas, hasReplicas }: TagsDeps): TagsRpc {
  const change = async (account: string, action: AccountAction): Promise<AccountReply> => {
    const reply = await write({ account, action, at: new Date(clock.now()) });
    await Promise.all([tags.read(account), hasReplicas ? delay(TAG_MAX_AGE_MS) : undefined]);
    return reply;
  };
  return {
    async addTag({ account, name, type, applicationSpecific }) {
      await change(account || DEFAULT_ACCOUNT, { type: 'addTag', name, tagType: type, applicationSpecific });
      return {};
    },

    async addMissingTags({ account, tags: missing }) {
      if (missing.length > MAX_TAGS_AT_ONCE) throw Fault.bug(`more than ${MAX_TAGS_AT_ONCE} tags at once`);
      const { refusedTags } = await change(account || DEFAULT_ACCOUNT, { type: 'addMissingTags', tags: missing });
      const reason = refusedTags.length > 0 ? quotaReached('tags', quotas.tags).message : '';
      return { refused: [...refusedTags], reason };
    },

    async deleteTag({ account, name }) {
      await change(account || DEFAULT_ACCOUNT, { type: 'deleteTag', name });
      clearing.begin();
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
  };
}
