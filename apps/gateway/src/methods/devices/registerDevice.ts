import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';

export const registerDevice: Handler<typeof api.registerDevice> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
