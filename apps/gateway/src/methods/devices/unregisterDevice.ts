import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';

export const unregisterDevice: Handler<typeof api.unregisterDevice> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(commandOf(call, input, { $case: 'unregister', value: {} }));
