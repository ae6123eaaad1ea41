import type { PresetState } from '@tidings/audience';
import { bytesOf, Preset } from '@tidings/events';
import type { Presets, ResolvePresetsRequest, UsablePreset } from '@tidings/rpc';
import type { AccountStore } from '../accounts/account-store.ts';
import { isGranted } from '../accounts/grants.ts';
import { campaignView } from './campaign-view.ts';
import type { PresetStore } from './preset-store.ts';

const MAX_BYTES = 16 << 20;

/** Includes presets of groups that the caller may use entirely. */
export function resolvePresetsRpc(
  store: PresetStore,
  accounts: Pick<AccountStore, 'applications' | 'groupsOf'>,
): Pick<Presets, 'resolve'> {
  const mayUseGroup = async (group: string, { applications, grant }: ResolvePresetsRequest): Promise<boolean> => {
    for (const application of applications) {
      const found = (await accounts.groupsOf(application)).find(({ code }) => code === group);
      if (found) return (await accounts.applications(found.applications)).every((each) => isGranted(grant, each));
    }
    return false;
  };

  const isUsable = async ({ preset }: PresetState, request: ResolvePresetsRequest): Promise<boolean> => {
    if (request.group !== '') return preset.group === request.group;
    return preset.group === '' ? request.applications.includes(preset.application) : mayUseGroup(preset.group, request);
  };

  const campaignOf = async (code: string, { account, applications }: ResolvePresetsRequest) => {
    const found = code === '' ? undefined : await store.campaign(account, code);
    return found && applications.includes(found.application) ? campaignView(found) : undefined;
  };

  const presetOf = async (code: string, request: ResolvePresetsRequest): Promise<UsablePreset | undefined> => {
    const found = await store.preset(request.account, code);
    if (!found || !(await isUsable(found, request))) return undefined;
    const { preset, unapproved = false } = found;
    return { preset, unapproved, campaignId: (await campaignOf(preset.campaign, request))?.id ?? 0n };
  };

  return {
    async resolve(request) {
      const presets: UsablePreset[] = [];
      let room = MAX_BYTES;
      for (const code of request.presets) {
        const found = await presetOf(code, request);
        if (!found) continue;
        room -= bytesOf(Preset, found.preset!).length;
        if (room < 0) return { presets: [], campaigns: [], tooLarge: true };
        presets.push(found);
      }
      const campaigns = await Promise.all(request.campaigns.map((code) => campaignOf(code, request)));
      return { presets, campaigns: campaigns.filter((each) => each !== undefined), tooLarge: false };
    },
  };
}
