import type { campaignMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { createCampaign } from './createCampaign.ts';
import { deleteCampaign } from './deleteCampaign.ts';
import { getCampaigns } from './getCampaigns.ts';

export const campaignHandlers = {
  createCampaign,
  getCampaigns,
  deleteCampaign,
} satisfies Serves<typeof campaignMethods>;
