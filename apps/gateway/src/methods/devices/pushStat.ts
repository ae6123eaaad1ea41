import type { api } from '@tidings/contract';
import { ReportKind } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { hashOf } from '../../devices/reporter.ts';
import { commandOf } from './command.ts';

/** What the registry says of a device that it does not know; a late report must not alarm a client (R-C7). */
const isUnknownDevice = (thrown: unknown): boolean =>
  thrown instanceof Fault && (thrown.kind === 'argument' || thrown.kind === 'notFound');

export const pushStat: Handler<typeof api.pushStat> = async (input, { deviceCommands, reporter }, call) => {
  const { application, hwid, userId } = input;
  const hash = hashOf(input.hash);
  const open = deviceCommands
    .submit(commandOf(call, { application, hwid }, { $case: 'open', value: { userId } }))
    .catch((thrown: unknown) => {
      if (!isUnknownDevice(thrown)) throw thrown;
    });
  const report =
    hash && reporter.report(ReportKind.REPORT_KIND_OPENED, { account: call.account, application, hwid }, hash);
  await Promise.all([open, report]);
};
