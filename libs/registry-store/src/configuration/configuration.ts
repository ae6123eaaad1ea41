import type { Account, Application, TagState } from '@tidings/audience';
import { bytesOf, findAll, modelOf } from '@tidings/mongo';
import type { Db, Document } from 'mongodb';
import { accountsModel, tagsModel } from '../storage/configuration.schema.ts';
import { ACCOUNTS, APPLICATIONS } from './collection-names.ts';

export type Versioned<State> = State & { readonly rev: number };

export interface Configuration {
  readonly applications: (codes: readonly string[]) => Promise<Versioned<Application>[]>;
  /** Includes deleted applications. */
  readonly applicationStates: (codes: readonly string[]) => Promise<Versioned<Application>[]>;
  readonly tags: (account: string) => Promise<TagState[]>;
  readonly tagsVersion: (account: string) => Promise<number>;
  readonly clearingTags: (account: string) => Promise<readonly number[]>;
}

export function applicationIn({ _id, rev: _rev, ...state }: Readonly<Record<string, unknown>>): Application {
  const application = state as unknown as Application;
  const platforms = application.platforms.map((platform) => ({
    ...platform,
    sealed: Object.fromEntries(Object.entries(platform.sealed).map(([name, value]) => [name, bytesOf(value)])),
  }));
  return { ...application, platforms };
}

export function openConfiguration(db: Db): Configuration {
  const accounts = modelOf(db, accountsModel);
  const applicationStates = async (codes: readonly string[]): Promise<Versioned<Application>[]> => {
    const found = await findAll<Document & { _id: string }>(db, APPLICATIONS, { _id: { $in: [...codes] } });
    return found.map((document) => ({ ...applicationIn(document), rev: document['rev'] as number }));
  };
  return {
    applicationStates,
    applications: async (codes) => (await applicationStates(codes)).filter(({ deletedAt }) => !deletedAt),
    async tags(account) {
      const found = await modelOf(db, tagsModel)
        .find({ account, deleted: false })
        .sort({ number: 1 })
        .lean<(TagState & Document)[]>();
      return found.map(({ _id, ...tag }) => tag);
    },
    async tagsVersion(account) {
      const found = await accounts
        .findOne({ _id: account }, { tagsMade: 1, tagsDeleted: 1 })
        .lean<Pick<Account, 'tagsMade' | 'tagsDeleted'> | null>();
      return found ? found.tagsMade + found.tagsDeleted : 0;
    },
    async clearingTags(account) {
      const [found] = await findAll<Account & { _id: string }>(db, ACCOUNTS, { _id: { $in: [account] } });
      return found?.clearing ?? [];
    },
  };
}
