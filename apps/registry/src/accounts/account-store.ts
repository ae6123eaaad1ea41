import type {
  AccessToken,
  Account,
  AccountState,
  Application,
  ApplicationGroup,
  LiveFilter,
  Senders,
} from '@tidings/audience';
import { AccessScope } from '@tidings/events/generated/tidings/events/v1/accounts';
import type { Clock } from '@tidings/kernel';
import { findAll, modelOf, type ModelDefinition, behind, type Page, readPage, sortOf } from '@tidings/mongo';
import {
  accountsModel,
  applicationsModel,
  type Configuration,
  openConfiguration,
  type Versioned,
} from '@tidings/registry-store';
import type { Db, Document } from 'mongodb';
import type { FilterQuery } from 'mongoose';
import { namedId } from './account-collections.ts';
import { stateOf } from './account-documents.ts';
import { filtersModel, groupsModel, presetsModel, tokensModel } from './storage/accounts.schema.ts';

export interface AccountStore extends Configuration {
  readonly hasAccount: (account: string) => Promise<boolean>;
  readonly application: (code: string) => Promise<Versioned<Application> | undefined>;
  readonly granted: (token: AccessToken, skip: number, limit: number) => Promise<Granted>;
  readonly unpurged: () => Promise<Versioned<Application>[]>;
  readonly token: (id: string) => Promise<Versioned<AccessToken> | undefined>;
  readonly tokens: (ids: readonly string[]) => Promise<Versioned<AccessToken>[]>;
  readonly liveTokens: () => Promise<Versioned<AccessToken>[]>;
  /** Valid ones with a rate limit, oldest first. */
  readonly limitedTokens: (application: Application) => Promise<AccessToken[]>;
  readonly categories: (account: string) => Promise<string[]>;
  readonly isEmailOnly: (account: string) => Promise<boolean>;
  readonly senders: (account: string) => Promise<Senders>;
  readonly applicationsOf: (account: string) => Promise<Pick<Application, 'code' | 'authorizeAllTokens'>[]>;
  readonly listAccounts: (after: string, limit: number) => Promise<Page<Listed<AccountSummary>>>;
  readonly listGroups: (account: string, after: string, limit: number) => Promise<Page<Listed<ApplicationGroup>>>;
  readonly groups: (account: string, codes: readonly string[]) => Promise<ApplicationGroup[]>;
  readonly groupsOf: (application: string) => Promise<ApplicationGroup[]>;
  /** Undefined for an expired filter, which counts as deleted (R-N3). */
  readonly filterNamed: (account: string, name: string) => Promise<LiveFilter | undefined>;
  readonly filtersByCode: (account: string, codes: readonly string[]) => Promise<LiveFilter[]>;
  readonly filters: (account: string, application: string, after: string) => Promise<Page<ListedFilter>>;
  readonly dueFilters: (now: Date, of?: FilterName) => Promise<DueFilter[]>;
}

export type AccountSummary = Pick<Account, 'name' | 'createdAt' | 'emailOnly'>;

export type Listed<State> = State & { readonly _id: string };

export interface FilterName {
  readonly account: string;
  readonly name: string;
}

export type DueFilter = Pick<LiveFilter, 'account' | 'name' | 'code' | 'expiresAt'>;

export type ListedFilter = Pick<LiveFilter, 'code' | 'name' | 'text' | 'application' | 'expiresAt'>;

export interface Granted {
  readonly applications: readonly Pick<Application, 'code' | 'title'>[];
  readonly count: number;
}

const MAX_LIMITED_TOKENS = 1_000;

const byCreation = { field: 'createdAt', isTime: true };

const newestFirst = { ...byCreation, isDescending: true };

const isLive = { deletedAt: { $exists: false } } as const;

const read = <State extends AccountState>(document: Document): Versioned<State> => ({
  ...(stateOf(document) as State),
  rev: document['rev'] as number,
});

const sizeOfGroup = ({ name, applications }: ApplicationGroup): number =>
  name.length + applications.reduce((sum, code) => sum + code.length, 0);

export function openAccountStore(db: Db, clock: Clock): AccountStore {
  const configuration = openConfiguration(db);
  const accounts = modelOf(db, accountsModel);
  const applications = modelOf(db, applicationsModel);
  const segments = modelOf(db, filtersModel);
  const byId = async <State extends AccountState>(states: ModelDefinition, ids: readonly string[]) => {
    const found = await findAll<Document & { _id: string }>(db, states.name, { _id: { $in: [...ids] } });
    return found.map((document) => read<State>(document));
  };
  const filters = async (
    filter: FilterQuery<{ _id: string; account: string; code: string }>,
  ): Promise<LiveFilter[]> => {
    const found = await segments
      .find({ ...filter, live: true })
      .sort({ createdAt: 1, _id: 1 })
      .lean<Document[]>();
    return found.map((document) => read<LiveFilter>(document));
  };
  const unusedDue = async <Due extends Pick<LiveFilter, 'code' | 'expiresAt'>>(
    found: readonly Due[],
    now: Date,
  ): Promise<Due[]> => {
    const due = found.filter(({ expiresAt }) => expiresAt && expiresAt <= now);
    if (due.length === 0) return [];
    const codes = due.map(({ code }) => code);
    const used = await modelOf(db, presetsModel).distinct('filter', { filter: { $in: codes }, deleted: false });
    return due.filter(({ code }) => !used.includes(code));
  };
  const current = async (
    filter: FilterQuery<{ _id: string; account: string; code: string }>,
  ): Promise<LiveFilter[]> => {
    const found = await filters(filter);
    const gone = await unusedDue(found, new Date(clock.now()));
    return found.filter((each) => !gone.includes(each));
  };
  const store: AccountStore = {
    ...configuration,
    hasAccount: async (account) => (await byId<Account>(accountsModel, [account])).length > 0,
    application: async (code) => (await store.applications([code]))[0],
    async granted({ account, allApplications, applications: granted }, skip, limit) {
      const grants = { $or: [{ _id: { $in: [...granted] } }, { authorizeAllTokens: true }] };
      const filter = { account, ...isLive, ...(allApplications ? {} : grants) };
      const [count, page] = await Promise.all([
        applications.countDocuments(filter),
        applications
          .find(filter, { _id: 0, code: 1, title: 1 })
          .sort({ createdAt: 1, _id: 1 })
          .skip(skip)
          .limit(limit)
          .lean<Pick<Application, 'code' | 'title'>[]>(),
      ]);
      return { applications: page, count };
    },
    async unpurged() {
      const filter = { deletedAt: { $exists: true }, purgedAt: { $exists: false } };
      const found = await applications.find(filter).lean<Document[]>();
      return found.map((document) => read<Application>(document));
    },
    token: async (id) => (await store.tokens([id]))[0],
    tokens: (ids) => byId<AccessToken>(tokensModel, ids),
    async liveTokens() {
      const found = await modelOf(db, tokensModel)
        .find({ revoked: false })
        .sort({ createdAt: 1, _id: 1 })
        .lean<Document[]>();
      return found.map((document) => read<AccessToken>(document));
    },
    async limitedTokens({ account, code, authorizeAllTokens }) {
      const ofApi = { scope: AccessScope.ACCESS_SCOPE_API };
      const grants = [{ allApplications: true }, { applications: code }, ...(authorizeAllTokens ? [ofApi] : [])];
      const limited = { 'rateLimit.requests': { $gt: 0 } };
      const found = await modelOf(db, tokensModel)
        .find({ account, revoked: false, ...limited, $or: grants })
        .sort({ createdAt: 1, _id: 1 })
        .limit(MAX_LIMITED_TOKENS)
        .lean<Document[]>();
      const tokens = found.map((document) => read<AccessToken>(document));
      return tokens.filter(({ expiresAt }) => !expiresAt || expiresAt.getTime() > clock.now());
    },
    async categories(account) {
      const found = await accounts.findOne({ _id: account }).lean<Account | null>();
      return [...(found?.categories ?? [])];
    },
    async isEmailOnly(account) {
      return (await accounts.exists({ _id: account, emailOnly: true })) !== null;
    },
    async senders(account) {
      const found = await accounts.findOne({ _id: account }).lean<Account | null>();
      return found?.senders ?? { required: false, verified: [] };
    },
    async applicationsOf(account) {
      return applications
        .find({ account, ...isLive }, { _id: 0, code: 1, authorizeAllTokens: 1 })
        .sort({ createdAt: 1, _id: 1 })
        .lean<Pick<Application, 'code' | 'authorizeAllTokens'>[]>();
    },
    async listAccounts(after, limit) {
      const projection = { name: 1, createdAt: 1, emailOnly: 1 } as const;
      const found = accounts.find(behind(newestFirst, after), projection).sort(sortOf(newestFirst));
      return readPage<Listed<AccountSummary>>(found, newestFirst, undefined, limit);
    },
    async listGroups(account, after, limit) {
      const found = modelOf(db, groupsModel)
        .find({ account, ...behind(newestFirst, after) })
        .sort(sortOf(newestFirst));
      return readPage<Listed<ApplicationGroup>>(found, newestFirst, sizeOfGroup, limit);
    },
    async groups(account, codes) {
      const found = codes.length === 0 ? [] : await byId<ApplicationGroup>(groupsModel, codes);
      return found.filter((group) => group.account === account);
    },
    async groupsOf(application) {
      const found = await modelOf(db, groupsModel).find({ applications: application }).lean<Document[]>();
      return found.map((document) => read<ApplicationGroup>(document));
    },
    filterNamed: async (account, name) => (await current({ _id: namedId(account, name) }))[0],
    filtersByCode: async (account, codes) =>
      codes.length === 0 ? [] : current({ account, code: { $in: [...codes] } }),
    async filters(account, application, after) {
      const listed = { account, application: { $in: ['', application] }, live: true, ...behind(byCreation, after) };
      const projection = { code: 1, name: 1, text: 1, application: 1, expiresAt: 1, createdAt: 1 } as const;
      const found = segments.find(listed, projection).sort(sortOf(byCreation));
      const page = await readPage<ListedFilter & Document>(found, byCreation, ({ text }) => Buffer.byteLength(text));
      const gone = new Set(await unusedDue(page.entries, new Date(clock.now())));
      return { entries: page.entries.filter((each) => !gone.has(each)), next: page.next };
    },
    async dueFilters(now, of) {
      const due = { expiresAt: { $lte: now }, live: true, ...(of && { _id: namedId(of.account, of.name) }) };
      const projection = { _id: 0, account: 1, name: 1, code: 1, expiresAt: 1 } as const;
      const found = await segments.find(due, projection).lean<DueFilter[]>();
      return unusedDue(found, now);
    },
  };
  return store;
}
