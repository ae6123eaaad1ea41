import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

const NO_ICON = Buffer.alloc(0);

export const createApplication: Handler<typeof api.createApplication, 'applications'> = async (
  input,
  { applications },
  call,
) => {
  const { application } = await applications.createApplication({
    ...input,
    account: call.account,
    icon: input.icon ?? NO_ICON,
    tokenId: call.credentials?.token.id ?? '',
  });
  return { application };
};
