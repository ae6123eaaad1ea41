import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../devices/command.ts';

export const registerEmail: Handler<typeof api.registerEmail> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));
