import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const getCampaigns: Handler<typeof api.getCampaigns, 'presets'> = async (
  { application, after, limit },
  { presets },
  { account },
) => {
  const page = await presets.listCampaigns({ account, application, after: BigInt(after), limit });
  const last = page.campaigns.at(-1);
  return {
    campaigns: page.campaigns.map(({ code, name, description }) => ({ code, name, description })),
    limit,
    cursor: page.more && last ? String(last.id) : '',
  };
};
