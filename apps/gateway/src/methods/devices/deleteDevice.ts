import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from '../../devices/command.ts';

export const deleteDevice: Handler<typeof api.deleteDevice, 'deviceCommands'> = (input, { deviceCommands }, call) =>
  deviceCommands.submit(call.pending, commandOf(call, input, { $case: 'erase', value: {} }));

export const deleteDeviceBare: Handler<typeof api.deleteDeviceBare, 'deviceCommands'> = deleteDevice;
