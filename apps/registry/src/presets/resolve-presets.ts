import type { Preset } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { PrepareAudience, PreparedPreset } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import type { PresetStore } from './preset-store.ts';

/** The preset of a message, and the campaign that it counts towards. */
export interface Resolved {
  readonly preset: Preset | undefined;
  /** An operator has withdrawn its approval (R-E7). */
  readonly presetUnapproved: boolean;
  readonly platformPresets: PreparedPreset[];
  /** 0 without a campaign. */
  readonly campaignId: bigint;
}

/** The applications that a message is addressed to: one, all of a group, or all that an expression names. */
export interface Addressees {
  readonly account: string;
  readonly applications: readonly string[];
  /** The code of the group that the applications belong to; "" without a group. */
  readonly group: string;
}

/**
 * Finds the preset and the campaign of a notification. A message to applications takes presets of any of them and of their groups; a message to a
 * group takes presets of the group. Either takes campaigns of any of its applications. Others count as unknown.
 */
export const resolvePresets = (store: PresetStore, accounts: Pick<AccountStore, 'groupsOf'>) => {
  const isFor = async (preset: Preset, { applications, group }: Addressees): Promise<boolean> => {
    if (group !== '') return preset.group === group;
    if (preset.group === '') return applications.includes(preset.application);
    for (const application of applications) {
      if ((await accounts.groupsOf(application)).some(({ code }) => code === preset.group)) return true;
    }
    return false;
  };

  const presetOf = async (to: Addressees, code: string, path: string) => {
    const found = await store.preset(to.account, code);
    if (!found || !(await isFor(found.preset, to))) throw Fault.argument(`${path}: not found`);
    return found;
  };

  const platformPresetsOf = async (to: Addressees, asked: PrepareAudience['platformPresets']) => {
    const found: PreparedPreset[] = [];
    for (const { platform, code, path } of asked) {
      const { preset, unapproved = false } = await presetOf(to, code, path);
      found.push({ platform, path, preset, unapproved });
    }
    return found;
  };

  const campaignIdOf = async ({ account, applications }: Addressees, code: string): Promise<bigint | undefined> => {
    const found = await store.campaign(account, code);
    return found && applications.includes(found.application) ? BigInt(found.id) : undefined;
  };

  return async (to: Addressees, asked: PrepareAudience): Promise<Resolved> => {
    const found = asked.preset === '' ? undefined : await presetOf(to, asked.preset, asked.presetPath);
    const preset = found?.preset;
    const presetUnapproved = found?.unapproved ?? false;
    const platformPresets = await platformPresetsOf(to, asked.platformPresets);
    if (asked.campaign !== '') {
      const campaignId = await campaignIdOf(to, asked.campaign);
      if (campaignId === undefined) throw Fault.argument(`${asked.campaignPath}: not found`);
      return { preset, presetUnapproved, platformPresets, campaignId };
    }
    // The preset's campaign may have been deleted.
    const campaignId = preset?.campaign ? await campaignIdOf(to, preset.campaign) : undefined;
    return { preset, presetUnapproved, platformPresets, campaignId: campaignId ?? 0n };
  };
};
