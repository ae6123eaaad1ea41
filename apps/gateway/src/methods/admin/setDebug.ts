import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

export const setDebug: Handler<typeof api.setDebug> = async ({ application, on }, { accounts }) => {
  const found = await accounts.findApplication({ application });
  if (!found.application) throw Fault.notFound('Application not found');
  const { debugUntil } = await accounts.setDebug({ application, on });
  return { debug_until: rfc3339(debugUntil) };
};
