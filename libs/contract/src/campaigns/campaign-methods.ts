import { createCampaign } from './createCampaign.ts';
import { deleteCampaign } from './deleteCampaign.ts';
import { getCampaigns } from './getCampaigns.ts';

export const campaignMethods = {
  createCampaign,
  getCampaigns,
  deleteCampaign,
} as const;
