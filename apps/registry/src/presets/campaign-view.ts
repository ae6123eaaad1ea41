import type { CampaignState } from '@tidings/audience';
import type { Campaign } from '@tidings/events';

export const campaignView = ({ code, id, application, name, description }: CampaignState): Campaign => ({
  code,
  id: BigInt(id),
  application,
  name,
  description,
});
