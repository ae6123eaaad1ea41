import type { api } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import type { Handler } from '../../context.ts';
import { hashOf } from '../../devices/reporter.ts';
import { commandOf } from './command.ts';
import { unlessUnknown } from './unknown-device.ts';

export const pushStat: Handler<typeof api.pushStat> = async (input, { deviceCommands, reporter }, call) => {
  const { application, hwid, userId } = input;
  const hash = hashOf(input.hash);
  const open = unlessUnknown(
    deviceCommands.submit(call.pending, commandOf(call, { application, hwid }, { $case: 'open', value: { userId } })),
  );
  const report =
    hash && reporter.report(ReportKind.REPORT_KIND_OPENED, { account: call.account, application, hwid }, hash);
  await Promise.all([open, report]);
};
