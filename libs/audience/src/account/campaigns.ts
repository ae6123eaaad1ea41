import { hash } from 'node:crypto';
import type { Campaign } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { checkName } from './limits.ts';

export interface CampaignState {
  readonly kind: 'campaign';
  readonly account: string;
  readonly code: string;
  readonly id: number;
  readonly application: string;
  readonly name: string;
  readonly description: string;
  /** No index holds caller text. */
  readonly named: string;
  readonly deleted: boolean;
}

export type CampaignAction =
  | { readonly type: 'createCampaign'; readonly campaign: Campaign }
  | { readonly type: 'nameCampaign'; readonly campaign: Campaign }
  | { readonly type: 'deleteCampaign'; readonly code: string };

export interface CampaignView {
  campaign(code: string): CampaignState | undefined;
  campaignsNamed(key: string): readonly CampaignState[];
}

type Change = NonNullable<AccountEvent['event']>;

export const campaignNameKey = (application: string, name: string): string =>
  hash('sha256', `${application}\0${name}`, 'base64url').slice(0, 22);

export function liveCampaign(account: string, view: CampaignView, code: string): CampaignState | undefined {
  const state = view.campaign(code);
  return state?.account === account && !state.deleted ? state : undefined;
}

function created(view: CampaignView, campaign: Campaign): Change[] {
  if (view.campaign(campaign.code)) throw Fault.conflict('the code is taken');
  checkName(campaign.name);
  return [{ $case: 'campaignCreated', value: { campaign } }];
}

export function decideCampaign(account: string, view: CampaignView, action: CampaignAction): Change[] {
  switch (action.type) {
    case 'createCampaign':
      return created(view, action.campaign);
    case 'nameCampaign': {
      const { application, name } = action.campaign;
      const isUsed = view.campaignsNamed(campaignNameKey(application, name)).some(({ deleted }) => !deleted);
      return isUsed ? [] : created(view, action.campaign);
    }
    case 'deleteCampaign':
      if (!liveCampaign(account, view, action.code)) throw Fault.argument('campaign: not found');
      return [{ $case: 'campaignDeleted', value: { campaign: action.code } }];
  }
}

export function evolveCampaign(
  state: CampaignState | undefined,
  { account, event }: AccountEvent,
): CampaignState | undefined {
  switch (event?.$case) {
    case 'campaignCreated': {
      const { code, id, application, name, description } = event.value.campaign!;
      const named = campaignNameKey(application, name);
      return {
        kind: 'campaign',
        account,
        code,
        id: Number(id),
        application,
        name,
        description,
        named,
        deleted: false,
      };
    }
    case 'campaignDeleted':
      return state && { ...state, deleted: true };
    default:
      return state;
  }
}
