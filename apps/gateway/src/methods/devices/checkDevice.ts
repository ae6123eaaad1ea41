import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const checkDevice: Handler<typeof api.checkDevice, 'devices'> = async (
  { application, hwid },
  { devices },
  { account },
) => {
  const { locations } = await devices.locate({ account, application, hwids: [hwid] });
  const [location] = locations;
  return { exist: location?.found ?? false, push_token_exist: location?.hasToken ?? false };
};
