import type { Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { PrepareAudience } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import type { PresetStore } from './preset-store.ts';

/** The preset of a message, and the campaign that it counts towards. */
export interface Resolved {
  readonly preset: Preset | undefined;
  /** 0 without a campaign. */
  readonly campaignId: bigint;
}

/** Finds the preset and the campaign of a notification in its application, a preset also in the application's groups; others count as unknown. */
export const resolvePresets = (store: PresetStore, accounts: Pick<AccountStore, 'groupsOf'>) => {
  const isFor = async ({ group, application: own }: Preset, application: string): Promise<boolean> =>
    group === '' ? own === application : (await accounts.groupsOf(application)).some(({ code }) => code === group);

  const presetOf = async (account: string, application: string, { preset: code, path }: PrepareAudience) => {
    if (code === '') return undefined;
    const found = await store.preset(account, code);
    if (!found || !(await isFor(found.preset, application))) throw Fault.argument(`${path}.preset: not found`);
    return found.preset;
  };

  const campaignIdOf = async (account: string, application: string, code: string): Promise<bigint | undefined> => {
    const found = await store.campaign(account, code);
    return found?.application === application ? BigInt(found.id) : undefined;
  };

  return async (account: string, application: string, asked: PrepareAudience): Promise<Resolved> => {
    const preset = await presetOf(account, application, asked);
    if (asked.campaign !== '') {
      const campaignId = await campaignIdOf(account, application, asked.campaign);
      if (campaignId === undefined) throw Fault.argument(`${asked.path}.campaign: not found`);
      return { preset, campaignId };
    }
    // The preset's campaign may have been deleted.
    const campaignId = preset?.campaign ? await campaignIdOf(account, application, preset.campaign) : undefined;
    return { preset, campaignId: campaignId ?? 0n };
  };
};
