import type { Geozone, GeozoneCluster } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { liveCampaign } from './campaigns.ts';
import { checkSize } from './limits.ts';
import { livePreset, type PresetState, type PresetView } from './presets.ts';

export interface GeozoneState {
  readonly kind: 'geozone';
  readonly account: string;
  readonly zone: Geozone;
  readonly deleted: boolean;
}

export interface GeozoneClusterState {
  readonly kind: 'geozoneCluster';
  readonly account: string;
  readonly cluster: GeozoneCluster;
  readonly deleted: boolean;
}

export interface GeozoneDraft {
  readonly zone: Geozone;
  readonly campaign: string;
}

/** Absent = unchanged, "" removes. */
export interface GeozonePatch extends Partial<Omit<Geozone, 'id' | 'application' | 'campaignId'>> {
  readonly campaign?: string;
}

type Groups = readonly string[];

export type GeozoneAction =
  | {
      readonly type: 'addGeozones';
      readonly application: string;
      readonly groups: Groups;
      readonly drafts: readonly GeozoneDraft[];
    }
  | {
      readonly type: 'changeGeozone';
      readonly id: bigint;
      readonly application: string;
      readonly groups: Groups;
      readonly patch: GeozonePatch;
    }
  | { readonly type: 'deleteGeozones'; readonly application: string; readonly ids: readonly bigint[] }
  | { readonly type: 'addGeozoneCluster'; readonly cluster: GeozoneCluster }
  | { readonly type: 'deleteGeozoneCluster'; readonly application: string; readonly code: string };

export interface GeozoneView extends PresetView {
  geozone(id: bigint): GeozoneState | undefined;
  geozoneCluster(code: string): GeozoneClusterState | undefined;
}

type Change = NonNullable<AccountEvent['event']>;

interface Owner {
  readonly account: string;
  readonly application: string;
}

function liveZone({ account, application }: Owner, view: GeozoneView, id: bigint): Geozone {
  const state = view.geozone(id);
  if (state?.account !== account || state.deleted || state.zone.application !== application) {
    throw Fault.argument('Geozone not found');
  }
  return state.zone;
}

function liveCluster({ account, application }: Owner, view: GeozoneView, code: string): void {
  const state = view.geozoneCluster(code);
  if (state?.account !== account || state.deleted || state.cluster.application !== application) {
    throw Fault.argument('Cluster not found');
  }
}

const isFor = ({ application, preset: { group } }: PresetState, owner: Owner, groups: Groups): boolean =>
  group === '' ? application === owner.application : groups.includes(group);

function checkParts(
  owner: Owner,
  view: GeozoneView,
  { cluster = '', preset = '' }: GeozonePatch,
  groups: Groups,
): void {
  if (cluster !== '') liveCluster(owner, view, cluster);
  if (preset === '') return;
  const state = livePreset(owner.account, view, preset);
  if (!state || !isFor(state, owner, groups)) throw Fault.argument('Preset not found');
}

function campaignIdOf({ account, application }: Owner, view: GeozoneView, code: string, path: string): bigint {
  if (code === '') return 0n;
  const campaign = liveCampaign(account, view, code);
  if (campaign?.application !== application) throw Fault.argument(`${path}: not found`);
  return BigInt(campaign.id);
}

function added(
  owner: Owner,
  view: GeozoneView,
  { zone, campaign }: GeozoneDraft,
  { groups, index }: { readonly groups: Groups; readonly index: number },
): Change {
  if (view.geozone(zone.id)) throw Fault.conflict('the id is taken');
  checkParts(owner, view, zone, groups);
  const path = `geozones[${index}]`;
  const campaignId = campaignIdOf(owner, view, campaign, `${path}.campaign`);
  checkSize(`${path}.content`, Buffer.byteLength(zone.content));
  return { $case: 'geozoneAdded', value: { zone: { ...zone, application: owner.application, campaignId } } };
}

function changed(
  owner: Owner,
  view: GeozoneView,
  id: bigint,
  { patch: { campaign, ...patch }, groups }: { readonly patch: GeozonePatch; readonly groups: Groups },
): Change[] {
  const before = liveZone(owner, view, id);
  checkParts(owner, view, patch, groups);
  const campaignId = campaign === undefined ? before.campaignId : campaignIdOf(owner, view, campaign, 'campaign');
  checkSize('content', Buffer.byteLength(patch.content ?? ''));
  const zone = { ...before, ...patch, campaignId };
  if (zone.content === '' && zone.preset === '') throw Fault.argument('content or presetCode is required');
  return [{ $case: 'geozoneChanged', value: { zone } }];
}

export function decideGeozone(account: string, view: GeozoneView, action: GeozoneAction): Change[] {
  switch (action.type) {
    case 'addGeozones': {
      const owner = { account, application: action.application };
      const { groups } = action;
      return action.drafts.map((draft, index) => added(owner, view, draft, { groups, index }));
    }
    case 'changeGeozone':
      return changed({ account, application: action.application }, view, action.id, action);
    case 'deleteGeozones': {
      const owner = { account, application: action.application };
      const zones = [...new Set(action.ids)].map((id) => liveZone(owner, view, id));
      return zones.map(({ id, application }) => ({ $case: 'geozoneDeleted', value: { zone: id, application } }));
    }
    case 'addGeozoneCluster':
      if (view.geozoneCluster(action.cluster.code)) throw Fault.conflict('the code is taken');
      return [{ $case: 'geozoneClusterAdded', value: { cluster: action.cluster } }];
    case 'deleteGeozoneCluster':
      liveCluster({ account, application: action.application }, view, action.code);
      return [{ $case: 'geozoneClusterDeleted', value: { cluster: action.code } }];
  }
}

export function evolveGeozone(
  state: GeozoneState | undefined,
  { account, event }: AccountEvent,
): GeozoneState | undefined {
  switch (event?.$case) {
    case 'geozoneAdded':
      return { kind: 'geozone', account, zone: event.value.zone!, deleted: false };
    case 'geozoneChanged':
      return state && { ...state, zone: event.value.zone! };
    case 'geozoneDeleted':
      return state && { ...state, deleted: true };
    default:
      return state;
  }
}

export function evolveGeozoneCluster(
  state: GeozoneClusterState | undefined,
  { account, event }: AccountEvent,
): GeozoneClusterState | undefined {
  switch (event?.$case) {
    case 'geozoneClusterAdded':
      return { kind: 'geozoneCluster', account, cluster: event.value.cluster!, deleted: false };
    case 'geozoneClusterDeleted':
      return state && { ...state, deleted: true };
    default:
      return state;
  }
}
