import { campaignNameKey, type CampaignState, type PresetState } from '@tidings/audience';
import { modelOf, behind, type Page, readPage, sortOf } from '@tidings/mongo';
import type { Db, Document } from 'mongodb';
import { stateOf } from '../accounts/account-documents.ts';
import { campaignsModel, presetsModel } from '../accounts/storage/accounts.schema.ts';

export interface ListedPreset {
  readonly code: string;
  readonly name: string;
  readonly owner: string;
}

const byAge = { field: 'number' };

export interface PresetStore {
  readonly preset: (account: string, code: string) => Promise<PresetState | undefined>;
  readonly anyPreset: (code: string) => Promise<PresetState | undefined>;
  readonly presets: (account: string, owners: readonly string[], after: string) => Promise<Page<ListedPreset>>;
  readonly campaign: (account: string, code: string) => Promise<CampaignState | undefined>;
  readonly campaignNamed: (application: string, name: string) => Promise<CampaignState | undefined>;
  readonly liveCampaigns: (application: string, ids: readonly bigint[]) => Promise<ReadonlySet<bigint>>;
  readonly campaigns: (account: string, application: string, after: number, limit: number) => Promise<CampaignState[]>;
}

const presetIn = (document: Document): PresetState => stateOf(document) as PresetState;
const campaignIn = (document: Document): CampaignState => stateOf(document) as CampaignState;

export function openPresetStore(db: Db): PresetStore {
  const presets = modelOf(db, presetsModel);
  const campaigns = modelOf(db, campaignsModel);
  const deleted = false;
  return {
    async preset(account, code) {
      const found = await presets.findOne({ _id: code, account, deleted }).lean<Document | null>();
      return found ? presetIn(found) : undefined;
    },
    async anyPreset(code) {
      const found = await presets.findOne({ _id: code, deleted }).lean<Document | null>();
      return found ? presetIn(found) : undefined;
    },
    presets(account, owners, after) {
      const listed = { owner: { $in: [...owners] }, account, deleted, ...behind(byAge, after) };
      const projection = { code: 1, name: 1, owner: 1, number: 1 } as const;
      const found = presets.find(listed, projection).sort(sortOf(byAge));
      return readPage<ListedPreset & Document>(found, byAge, ({ name }) => Buffer.byteLength(name));
    },
    async campaign(account, code) {
      const found = await campaigns.findOne({ _id: code, account, deleted }).lean<Document | null>();
      return found ? campaignIn(found) : undefined;
    },
    async campaignNamed(application, name) {
      const found = await campaigns
        .findOne({ named: campaignNameKey(application, name), deleted })
        .sort({ id: 1 })
        .lean<Document | null>();
      return found ? campaignIn(found) : undefined;
    },
    async liveCampaigns(application, ids) {
      const presetIds = [...new Set(ids)].filter((id) => id !== 0n).map(Number);
      if (presetIds.length === 0) return new Set();
      const found = await campaigns
        .find({ application, deleted, id: { $in: presetIds } }, { id: 1 })
        .lean<{ id: number }[]>();
      return new Set(found.map(({ id }) => BigInt(id)));
    },
    async campaigns(account, application, after, limit) {
      const behind = { application, account, deleted, id: { $gt: after } };
      return (await campaigns.find(behind).sort({ id: 1 }).limit(limit).lean<Document[]>()).map(campaignIn);
    },
  };
}
