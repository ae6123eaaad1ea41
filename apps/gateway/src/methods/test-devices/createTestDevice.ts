import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const createTestDevice: Handler<typeof api.createTestDevice> = async (input, { accounts }) => {
  const { application, push_token: pushToken, device_type: platform, name, description = '', language = '' } = input;
  await accounts.setTestDevice({ application, device: { pushToken, platform, name, description, language } });
};
