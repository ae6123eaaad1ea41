import { Preset } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { type CampaignView, liveCampaign } from './campaigns.ts';
import { checkName, checkSize } from './limits.ts';

export interface PresetState {
  readonly kind: 'preset';
  readonly account: string;
  readonly code: string;
  readonly application: string;
  readonly filter: string;
  readonly preset: Preset;
  readonly number?: number | undefined;
  readonly unapproved?: boolean | undefined;
  readonly deleted: boolean;
}

export type PresetAction =
  | { readonly type: 'createPreset'; readonly preset: Preset; readonly number?: bigint }
  | { readonly type: 'approvePreset'; readonly code: string; readonly approved: boolean }
  | { readonly type: 'deletePreset'; readonly code: string };

export interface PresetView extends CampaignView {
  preset(code: string): PresetState | undefined;
}

type Change = NonNullable<AccountEvent['event']>;

export const ownerOf = ({ group, application }: Pick<Preset, 'group' | 'application'>): string => group || application;

export function livePreset(account: string, view: PresetView, code: string): PresetState | undefined {
  const state = view.preset(code);
  return state?.account === account && !state.deleted ? state : undefined;
}

export function createPreset(
  account: string,
  view: PresetView,
  preset: Preset,
  applications: readonly string[],
  number = 0n,
): Change[] {
  if (view.preset(preset.code)) throw Fault.conflict('the code is taken');
  checkName(preset.name);
  checkSize('content', Preset.encode(preset).finish().length);
  if (preset.campaign !== '') {
    const campaign = liveCampaign(account, view, preset.campaign);
    if (!campaign || !applications.includes(campaign.application)) throw Fault.argument('campaign: not found');
  }
  return [{ $case: 'presetCreated', value: { preset, number } }];
}

export function deletePreset(account: string, view: PresetView, code: string): Change[] {
  const found = livePreset(account, view, code);
  if (!found) throw Fault.argument('Preset not found');
  return [{ $case: 'presetDeleted', value: { preset: code, owner: ownerOf(found.preset) } }];
}

export function approvePreset(account: string, view: PresetView, code: string, approved: boolean): Change[] {
  const found = livePreset(account, view, code);
  if (!found) throw Fault.notFound('Preset not found');
  const isApproved = !(found.unapproved ?? false);
  return approved === isApproved ? [] : [{ $case: 'presetApprovalSet', value: { preset: code, approved } }];
}

export function evolvePreset(
  state: PresetState | undefined,
  { account, event }: AccountEvent,
): PresetState | undefined {
  switch (event?.$case) {
    case 'presetCreated': {
      const preset = event.value.preset!;
      const { code, application, filter } = preset;
      const number = Number(event.value.number);
      return { kind: 'preset', account, code, application, filter, preset, number, deleted: false };
    }
    case 'presetApprovalSet':
      return state && { ...state, unapproved: !event.value.approved };
    case 'presetDeleted':
      return state && { ...state, deleted: true };
    default:
      return state;
  }
}
