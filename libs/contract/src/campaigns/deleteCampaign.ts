import { json13 } from '../families/json13.ts';
import { nothing, object } from '../values.ts';
import { campaignCode } from './campaign-code.ts';

export const deleteCampaign = json13('deleteCampaign', {
  description: 'Deletes a campaign; its messages stay unchanged.',
  scope: 'api',
  input: object({ campaign: campaignCode.describe('Code of the campaign.') }),
  output: nothing,
  examples: [{ request: { auth: 'token', campaign: 'C1B2C-3D4E5' }, reply: undefined }],
});
