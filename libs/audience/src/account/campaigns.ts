import { hash } from 'node:crypto';
import type { Campaign } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { checkName } from './limits.ts';

export interface CampaignState {
  readonly kind: 'campaign';
  readonly account: string;
  readonly code: string;
  /** Unique, ordered by time. */
  readonly id: number;
  readonly application: string;
  readonly name: string;
  readonly description: string;
  /** {@link campaignNameKey} of application and name: names are callers' text, which no index holds. */
  readonly named: string;
  readonly deleted: boolean;
}

export type CampaignAction =
  | { readonly type: 'createCampaign'; readonly campaign: Campaign }
  /** Does nothing where the application has a campaign of this name (R-RES5). */
  | { readonly type: 'nameCampaign'; readonly campaign: Campaign }
  | { readonly type: 'deleteCampaign'; readonly code: string };

/** The states that decide about campaigns. */
export interface CampaignView {
  campaign(code: string): CampaignState | undefined;
  campaignsNamed(key: string): readonly CampaignState[];
}

type Change = NonNullable<AccountEvent['event']>;

/** What stands for a campaign's name in an index. */
export const campaignNameKey = (application: string, name: string): string =>
  hash('sha256', `${application}\0${name}`, 'base64url').slice(0, 22);

/** A campaign that is there, of this account. */
export function liveCampaign(account: string, view: CampaignView, code: string): CampaignState | undefined {
  const state = view.campaign(code);
  return state?.account === account && !state.deleted ? state : undefined;
}

function created(view: CampaignView, campaign: Campaign): Change[] {
  if (view.campaign(campaign.code)) throw Fault.conflict('the code is taken');
  checkName(campaign.name);
  return [{ $case: 'campaignCreated', value: { campaign } }];
}

/** What follows from an action on campaigns, whose application is the account's. Pure. */
export function decideCampaign(account: string, view: CampaignView, action: CampaignAction): Change[] {
  switch (action.type) {
    case 'createCampaign':
      return created(view, action.campaign);
    case 'nameCampaign': {
      const { application, name } = action.campaign;
      const known = view.campaignsNamed(campaignNameKey(application, name)).some(({ deleted }) => !deleted);
      return known ? [] : created(view, action.campaign);
    }
    case 'deleteCampaign':
      if (!liveCampaign(account, view, action.code)) throw Fault.argument('campaign: not found');
      return [{ $case: 'campaignDeleted', value: { campaign: action.code } }];
  }
}

/** The campaign after the event. */
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
