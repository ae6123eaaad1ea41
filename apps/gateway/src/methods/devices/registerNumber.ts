import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';

export const registerSmsNumber: Handler<typeof api.registerSmsNumber> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(commandOf(call, input, { $case: 'register', value: input.device }));

export const registerWhatsappNumber: Handler<typeof api.registerWhatsappNumber> = registerSmsNumber;
