import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { withPaths } from '../segments/refusals.ts';

const DIGITS = 4;

export const countDevices: Handler<typeof api.countDevices, 'applications' | 'segments'> = async (
  { application, expression },
  { applications, segments },
) => {
  const { application: found } = await applications.findApplication({ application });
  if (!found) throw Fault.notFound('Application not found');
  const request = { account: found.account, application: found.code, expression };
  const { devices, numbers, examined } = await withPaths({ expression: 'expression' }, segments.estimate(request));
  const share = examined < numbers ? Number((examined / numbers).toFixed(DIGITS)) : 1;
  return { devices: Number(devices), sampled: examined < numbers, share };
};
