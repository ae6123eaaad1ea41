import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const createCampaign: Handler<typeof api.createCampaign, 'presets'> = async (
  input,
  { presets },
  { account },
) => {
  const { campaign } = await presets.createCampaign({ account, ...input });
  if (!campaign) throw Fault.bug('the registry did not return the created campaign');
  return { campaign: campaign.code };
};
