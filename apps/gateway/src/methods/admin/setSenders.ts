import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const setSenders: Handler<typeof api.setSenders, 'addresses'> = (
  { account = '', required, verified },
  { addresses },
) => addresses.setSenders({ account, required, verified });
