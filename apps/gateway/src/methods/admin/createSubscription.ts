import { DEFAULT_ACCOUNT } from '@tidings/audience';
import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { campaignsOf, checkApplications, newSecret } from './subscription.ts';

export const createSubscription: Handler<
  typeof api.createSubscription,
  'accounts' | 'applications' | 'presets' | 'subscriptions'
> = async (input, context) => {
  const {
    endpoint = '',
    events,
    applications = [],
    campaigns: codes = [],
    platforms = [],
    messageCodes = [],
    enabled = true,
  } = input;
  const { account = DEFAULT_ACCOUNT } = input;
  const { found } = await context.accounts.findAccount({ account });
  if (!found) throw Fault.notFound('Account not found');
  await checkApplications(context, account, applications);
  const campaigns = await campaignsOf(context, account, codes);
  const { id, secret } = await context.subscriptions.create({
    account,
    settings: { endpoint, events, applications, platforms, messageCodes, campaigns, enabled },
  });
  return { id, ...newSecret(secret) };
};
