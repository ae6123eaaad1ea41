import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { commandOf } from './command.ts';

/** Whatever can be wrong with one of them was checked before: from here on registering is repeated where it fails (R-ER10). */
export const multiRegisterDevice: Handler<typeof api.multiRegisterDevice> = async (input, { deviceCommands }, call) => {
  const { application, devices } = input;
  await Promise.all(
    devices.map(({ hwid, device }) =>
      deviceCommands.submit(commandOf(call, { application, hwid }, { $case: 'register', value: device })),
    ),
  );
};
