import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { ownerOf } from './presets.ts';
import type { AccountView } from './account-view.ts';

export interface Orphans {
  readonly presets: readonly string[];
  readonly campaigns: readonly string[];
  readonly filters: readonly string[];
  readonly geozones: readonly bigint[];
  readonly clusters: readonly string[];
}

export interface ClearOrphans {
  readonly type: 'clearOrphans';
  readonly application: string;
  readonly orphans: Orphans;
}

type Change = NonNullable<AccountEvent['event']>;

export function clearOrphans(account: string, view: AccountView, action: ClearOrphans): Change[] {
  const { application, orphans } = action;
  const owner = view.application(application);
  if (owner?.kind !== 'application' || owner.account !== account || !owner.deletedAt) return [];
  const isRemaining = (state: { readonly deleted: boolean } | undefined, of: string | undefined): boolean =>
    state !== undefined && !state.deleted && of === application;
  const presets = orphans.presets.filter((code) => {
    const state = view.preset(code);
    const isOfGroup = state?.account === account && state.preset.group !== '';
    return isRemaining(state, isOfGroup ? application : state?.application);
  });
  const campaigns = orphans.campaigns.filter((code) =>
    isRemaining(view.campaign(code), view.campaign(code)?.application),
  );
  const zones = orphans.geozones.filter((id) => isRemaining(view.geozone(id), view.geozone(id)?.zone.application));
  const clusters = orphans.clusters.filter((code) =>
    isRemaining(view.geozoneCluster(code), view.geozoneCluster(code)?.cluster.application),
  );
  const filters = orphans.filters.filter((name) => {
    const filter = view.filter(name);
    return filter?.live && filter.application === application;
  });
  const hasTestDevices = (view.testDevices(application)?.devices.length ?? 0) > 0;
  return [
    ...presets.map((preset): Change => {
      const owner = ownerOf(view.preset(preset)!.preset);
      return { $case: 'presetDeleted', value: { preset, owner } };
    }),
    ...campaigns.map((campaign): Change => ({ $case: 'campaignDeleted', value: { campaign } })),
    ...zones.map((zone): Change => ({ $case: 'geozoneDeleted', value: { zone, application } })),
    ...clusters.map((cluster): Change => ({ $case: 'geozoneClusterDeleted', value: { cluster } })),
    ...filters.map((name): Change => ({ $case: 'filterDeleted', value: { name, application } })),
    ...(hasTestDevices ? [{ $case: 'testDevicesRemoved', value: { application } } satisfies Change] : []),
  ];
}
