import type {
  AccessToken,
  Account,
  AccountState,
  Application,
  ApplicationGroup,
  LiveFilter,
  Senders,
  TagState,
} from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import type { Db, Document, Filter } from 'mongodb';
import { behind, type Page, readPage, sortOf } from './pages.ts';
import { ACCOUNTS, APPLICATIONS, FILTERS, GROUPS, namedId, PRESETS, stateOf, TAGS, TOKENS } from './account-log.ts';

/** A state and the number of the commit that made it. */
export type Versioned<State> = State & { readonly rev: number };

/** Queries over the configuration of accounts, with every commit of its logs applied. */
export interface AccountStore {
  readonly hasAccount: (account: string) => Promise<boolean>;
  /** Undefined for a deleted one, too. */
  readonly application: (code: string) => Promise<Versioned<Application> | undefined>;
  /** Without those that are deleted. */
  readonly applications: (codes: readonly string[]) => Promise<Versioned<Application>[]>;
  /** Deleted ones included. */
  readonly applicationStates: (codes: readonly string[]) => Promise<Versioned<Application>[]>;
  /** What a token may use, oldest first: entries from `skip` on, at most `limit`, and how many there are in all. */
  readonly granted: (token: AccessToken, skip: number, limit: number) => Promise<Granted>;
  /** Deleted applications of which something is left. */
  readonly unpurged: () => Promise<Versioned<Application>[]>;
  readonly token: (id: string) => Promise<Versioned<AccessToken> | undefined>;
  readonly tokens: (ids: readonly string[]) => Promise<Versioned<AccessToken>[]>;
  /** All that are not revoked, oldest first. */
  readonly liveTokens: () => Promise<Versioned<AccessToken>[]>;
  /** Grows with every tag that the account gets or loses. */
  readonly tagsVersion: (account: string) => Promise<number>;
  /** An account's categories of e-mail (R-E13). */
  readonly categories: (account: string) => Promise<string[]>;
  /** Whether nothing but contacts of mail may be registered in an account (R-E3). */
  readonly isEmailOnly: (account: string) => Promise<boolean>;
  /** Which addresses an account's mail may come from (R-A5). */
  readonly senders: (account: string) => Promise<Senders>;
  /** An account's own tags. */
  readonly tags: (account: string) => Promise<TagState[]>;
  /** Oldest first: what tells whether a token may use them. */
  readonly applicationsOf: (account: string) => Promise<Pick<Application, 'code' | 'authorizeAllTokens'>[]>;
  readonly groups: (account: string, codes: readonly string[]) => Promise<ApplicationGroup[]>;
  /** The groups that an application is in. */
  readonly groupsOf: (application: string) => Promise<ApplicationGroup[]>;
  /** Not one that is due, which is as good as deleted (R-N3); nor do the next two tell of those. */
  readonly filterNamed: (account: string, name: string) => Promise<LiveFilter | undefined>;
  readonly filtersByCode: (account: string, codes: readonly string[]) => Promise<LiveFilter[]>;
  /** A page of those bound to the application or to none, oldest first; without what they mean. */
  readonly filters: (account: string, application: string, after: string) => Promise<Page<ListedFilter>>;
  /** Those whose day has come and that no preset uses (R-N3); of all accounts, or the one of a name. */
  readonly dueFilters: (now: Date, of?: FilterName) => Promise<DueFilter[]>;
}

/** Names of filters are unique in an account. */
export interface FilterName {
  readonly account: string;
  readonly name: string;
}

export type DueFilter = Pick<LiveFilter, 'account' | 'name' | 'code' | 'expiresAt'>;

/** What lists tell of a filter. */
export type ListedFilter = Pick<LiveFilter, 'code' | 'name' | 'text' | 'application' | 'expiresAt'>;

export interface Granted {
  readonly applications: readonly Pick<Application, 'code' | 'title'>[];
  readonly count: number;
}

const byCreation = { field: 'createdAt', isTime: true };

const isLive = { deletedAt: { $exists: false } } as const;

const read = <State extends AccountState>(document: Document): Versioned<State> => ({
  ...(stateOf(document) as State),
  rev: document['rev'] as number,
});

export function openAccountStore(db: Db, clock: Clock): AccountStore {
  const byId = async <State extends AccountState>(collection: string, ids: readonly string[]) => {
    const found = await db
      .collection<{ _id: string }>(collection)
      .find({ _id: { $in: [...ids] } })
      .toArray();
    return found.map((document) => read<State>(document));
  };
  const filters = async (filter: Filter<{ _id: string }>): Promise<LiveFilter[]> => {
    const found = await db
      .collection<{ _id: string }>(FILTERS)
      .find({ ...filter, live: true })
      .sort({ createdAt: 1, _id: 1 })
      .toArray();
    return found.map((document) => read<LiveFilter>(document));
  };
  const unusedDue = async <Known extends Pick<LiveFilter, 'code' | 'expiresAt'>>(
    found: readonly Known[],
    now: Date,
  ): Promise<Known[]> => {
    const due = found.filter(({ expiresAt }) => expiresAt && expiresAt <= now);
    if (due.length === 0) return [];
    const codes = due.map(({ code }) => code);
    const used = await db.collection(PRESETS).distinct('filter', { filter: { $in: codes }, deleted: false });
    return due.filter(({ code }) => !used.includes(code));
  };
  const current = async (filter: Filter<{ _id: string }>): Promise<LiveFilter[]> => {
    const found = await filters(filter);
    const gone = await unusedDue(found, new Date(clock.now()));
    return found.filter((each) => !gone.includes(each));
  };
  const store: AccountStore = {
    hasAccount: async (account) => (await byId<Account>(ACCOUNTS, [account])).length > 0,
    application: async (code) => (await store.applications([code]))[0],
    applications: async (codes) => (await store.applicationStates(codes)).filter(({ deletedAt }) => !deletedAt),
    applicationStates: (codes) => byId<Application>(APPLICATIONS, codes),
    async granted({ account, allApplications, applications }, skip, limit) {
      const found = db.collection<Application & { _id: string }>(APPLICATIONS);
      const grants = { $or: [{ _id: { $in: [...applications] } }, { authorizeAllTokens: true }] };
      const filter = { account, ...isLive, ...(allApplications ? {} : grants) };
      const [count, page] = await Promise.all([
        found.countDocuments(filter),
        found
          .find(filter, { projection: { _id: 0, code: 1, title: 1 } })
          .sort({ createdAt: 1, _id: 1 })
          .skip(skip)
          .limit(limit)
          .toArray(),
      ]);
      return { applications: page, count };
    },
    async unpurged() {
      const filter = { deletedAt: { $exists: true }, purgedAt: { $exists: false } };
      const found = await db.collection(APPLICATIONS).find(filter).toArray();
      return found.map((document) => read<Application>(document));
    },
    token: async (id) => (await store.tokens([id]))[0],
    tokens: (ids) => byId<AccessToken>(TOKENS, ids),
    async liveTokens() {
      const found = await db.collection(TOKENS).find({ revoked: false }).sort({ createdAt: 1, _id: 1 }).toArray();
      return found.map((document) => read<AccessToken>(document));
    },
    async tagsVersion(account) {
      const found = await db
        .collection<{ _id: string; tagsMade: number; tagsDeleted: number }>(ACCOUNTS)
        .findOne({ _id: account }, { projection: { tagsMade: 1, tagsDeleted: 1 } });
      return found ? found.tagsMade + found.tagsDeleted : 0;
    },
    async categories(account) {
      const found = await db.collection<Account & { _id: string }>(ACCOUNTS).findOne({ _id: account });
      return [...(found?.categories ?? [])];
    },
    async isEmailOnly(account) {
      const found = await db.collection<Account & { _id: string }>(ACCOUNTS).findOne({ _id: account, emailOnly: true });
      return found !== null;
    },
    async senders(account) {
      const found = await db.collection<Account & { _id: string }>(ACCOUNTS).findOne({ _id: account });
      return found?.senders ?? { required: false, verified: [] };
    },
    async tags(account) {
      const found = await db.collection(TAGS).find({ account, deleted: false }).sort({ number: 1 }).toArray();
      return found.map((document) => read<TagState>(document));
    },
    async applicationsOf(account) {
      const found = await db
        .collection(APPLICATIONS)
        .find<Pick<Application, 'code' | 'authorizeAllTokens'>>(
          { account, ...isLive },
          { projection: { _id: 0, code: 1, authorizeAllTokens: 1 } },
        )
        .sort({ createdAt: 1, _id: 1 })
        .toArray();
      return found;
    },
    async groups(account, codes) {
      const found = codes.length === 0 ? [] : await byId<ApplicationGroup>(GROUPS, codes);
      return found.filter((group) => group.account === account);
    },
    async groupsOf(application) {
      const found = await db.collection(GROUPS).find({ applications: application }).toArray();
      return found.map((document) => read<ApplicationGroup>(document));
    },
    filterNamed: async (account, name) => (await current({ _id: namedId(account, name) }))[0],
    filtersByCode: async (account, codes) =>
      codes.length === 0 ? [] : current({ account, code: { $in: [...codes] } }),
    async filters(account, application, after) {
      const listed = { account, application: { $in: ['', application] }, live: true, ...behind(byCreation, after) };
      const projection = { code: 1, name: 1, text: 1, application: 1, expiresAt: 1, createdAt: 1 };
      const found = db.collection<{ _id: string }>(FILTERS).find<ListedFilter & Document>(listed, { projection });
      const page = await readPage(found.sort(sortOf(byCreation)), byCreation, ({ text }) => Buffer.byteLength(text));
      const gone = new Set(await unusedDue(page.entries, new Date(clock.now())));
      return { entries: page.entries.filter((each) => !gone.has(each)), next: page.next };
    },
    async dueFilters(now, of) {
      const due = { expiresAt: { $lte: now }, live: true, ...(of && { _id: namedId(of.account, of.name) }) };
      const projection = { _id: 0, account: 1, name: 1, code: 1, expiresAt: 1 };
      const found = await db.collection<{ _id: string }>(FILTERS).find<DueFilter>(due, { projection }).toArray();
      return unusedDue(found, now);
    },
  };
  return store;
}

/** Makes the indexes of the configuration where they are missing. */
export async function prepareAccounts(db: Db): Promise<void> {
  await db.collection(TAGS).createIndexes([{ name: 'account_number', key: { account: 1, number: 1 } }]);
  await db.collection(GROUPS).createIndexes([{ name: 'applications', key: { applications: 1 } }]);
  await db.collection(FILTERS).createIndexes([
    { name: 'code', key: { code: 1 } },
    { name: 'account_application_created', key: { account: 1, application: 1, createdAt: 1, _id: 1 } },
    { name: 'expiry', key: { expiresAt: 1 }, partialFilterExpression: { expiresAt: { $exists: true } } },
  ]);
  await db.collection(APPLICATIONS).createIndexes([
    { name: 'account_created', key: { account: 1, createdAt: 1, _id: 1 } },
    { name: 'icon', key: { icon: 1 } },
    { name: 'deleted', key: { deletedAt: 1 }, partialFilterExpression: { deletedAt: { $exists: true } } },
  ]);
}
