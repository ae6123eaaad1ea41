import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';

export const createCampaign: Handler<typeof api.createCampaign> = async (input, { presets }, { account }) => {
  const { campaign } = await presets.createCampaign({ account, ...input });
  if (!campaign) throw Fault.bug('the registry left out the campaign that it made');
  return { campaign: campaign.code };
};
