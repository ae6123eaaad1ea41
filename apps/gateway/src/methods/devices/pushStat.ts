import type { api } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { hashOf } from '../../reports/reporter.ts';
import { commandOf } from '../../devices/command.ts';
import { unlessUnknown } from '../../devices/unknown-device.ts';

export const pushStat: Handler<typeof api.pushStat, 'deviceCommands' | 'reporter'> = async (
  input,
  { deviceCommands, reporter },
  call,
) => {
  const { application, hwid, userId } = input;
  const hash = hashOf(input.hash);
  const device = { account: call.account, application, hwid };
  // An impossible report is no opening of the application either.
  if (hash && !(await reporter.report(ReportKind.REPORT_KIND_OPENED, device, hash))) return;
  const command = commandOf(call, { application, hwid }, { $case: 'open', value: { userId } });
  await unlessUnknown(deviceCommands.submit(call.pending, command));
};
