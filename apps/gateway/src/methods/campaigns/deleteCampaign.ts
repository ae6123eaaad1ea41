import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { hasAccess } from '../../auth/application-access.ts';
import type { Handler } from '../../context.ts';

export const deleteCampaign: Handler<typeof api.deleteCampaign, 'access' | 'presets'> = async (
  { campaign: code },
  context,
  call,
) => {
  const { account } = call;
  const { campaign } = await context.presets.findCampaign({ account, code });
  if (!campaign || !(await hasAccess(context, call, campaign.application))) {
    throw Fault.argument('campaign: not found');
  }
  await context.presets.deleteCampaign({ account, code });
};
