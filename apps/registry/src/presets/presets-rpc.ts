import type { PresetState } from '@tidings/audience';
import type { Campaign, Preset } from '@tidings/events';
import { type Clock, Fault, newCode } from '@tidings/kernel';
import type { Presets } from '@tidings/rpc';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { campaignView } from './campaign-view.ts';
import type { PresetStore } from './preset-store.ts';

export interface PresetsDeps {
  readonly clock: Clock;
  readonly nextId: () => number;
  readonly filterCode: (account: string, preset: Preset) => Promise<string>;
  readonly groupsOf: (application: string) => Promise<string[]>;
}

export function presetsRpc(store: PresetStore, write: AccountWriter, deps: PresetsDeps): Omit<Presets, 'resolve'> {
  const { clock, nextId, filterCode, groupsOf } = deps;
  const now = (): Date => new Date(clock.now());
  const newCampaign = (application: string, name: string, description: string): Campaign => ({
    code: newCode(),
    id: BigInt(nextId()),
    application,
    name,
    description,
  });
  const presetOf = async (code: string): Promise<PresetState> => {
    const found = await store.anyPreset(code);
    if (!found) throw Fault.notFound('Preset not found');
    return found;
  };
  return {
    async createPreset({ account, preset }) {
      if (!preset) throw Fault.bug('no preset to create');
      const made = { ...preset, code: newCode(), filter: await filterCode(account, preset) };
      await write({ account, action: { type: 'createPreset', preset: made, number: BigInt(nextId()) }, at: now() });
      return {};
    },

    async findPreset({ account, code }) {
      return { preset: (await store.preset(account, code))?.preset };
    },

    async listPresets({ account, application, after }) {
      const owners = [application, ...(await groupsOf(application))];
      const { entries, next } = await store.presets(account, owners, after);
      const groupOf = (owner: string): string => (owner === application ? '' : owner);
      return { presets: entries.map(({ code, name, owner }) => ({ code, name, group: groupOf(owner) })), next };
    },

    async deletePreset({ account, code }) {
      await write({ account, action: { type: 'deletePreset', code }, at: now() });
      return {};
    },

    async setApproval({ code, approved }) {
      const { account } = await presetOf(code);
      await write({ account, action: { type: 'approvePreset', code, approved }, at: now() });
      return { approved: !((await presetOf(code)).unapproved ?? false) };
    },

    async findApproval({ code }) {
      return { approved: !((await presetOf(code)).unapproved ?? false) };
    },

    async createCampaign({ account, application, name, description }) {
      const campaign = newCampaign(application, name, description);
      await write({ account, action: { type: 'createCampaign', campaign }, at: now() });
      return { campaign };
    },

    async nameCampaign({ account, application, name }) {
      const existing = await store.campaignNamed(application, name);
      if (existing) return { campaign: campaignView(existing) };
      const campaign = newCampaign(application, name, '');
      await write({ account, action: { type: 'nameCampaign', campaign }, at: now() });
      const found = await store.campaignNamed(application, name);
      return { campaign: found && campaignView(found) };
    },

    async findCampaign({ account, code }) {
      const found = await store.campaign(account, code);
      return { campaign: found && campaignView(found) };
    },

    async listCampaigns({ account, application, after, limit }) {
      const found = await store.campaigns(account, application, Number(after), limit + 1);
      return { campaigns: found.slice(0, limit).map(campaignView), more: found.length > limit };
    },

    async deleteCampaign({ account, code }) {
      await write({ account, action: { type: 'deleteCampaign', code }, at: now() });
      return {};
    },
  };
}
