export { createCampaign } from './createCampaign.ts';
export { deleteCampaign } from './deleteCampaign.ts';
export { getCampaigns } from './getCampaigns.ts';
