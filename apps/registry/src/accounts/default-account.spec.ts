import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { UnknownOutcome } from '@tidings/mongo';
import { TestClock } from '@tidings/testing';
import { pino } from 'pino';
import { createDefaultAccount } from './default-account.ts';
import type { AccountCommand } from './account-log.ts';

async function commandsOf(...failures: Error[]): Promise<AccountCommand[]> {
  const commands: AccountCommand[] = [];
  const write = async (command: AccountCommand) => {
    commands.push(command);
    const failure = failures.shift();
    if (failure) throw failure;
    return {};
  };
  await createDefaultAccount({ write: write as never, clock: new TestClock(), log: pino({ level: 'silent' }) });
  return commands;
}

describe('the default account', () => {
  it('is created once', async () => {
    expect(await commandsOf()).toMatchObject([{ account: 'default', action: { type: 'createAccount' } }]);
  });

  it('is created when a busy store answers', async () => {
    expect(await commandsOf(new UnknownOutcome('no answer'))).toHaveLength(2);
    expect(await commandsOf(Fault.unavailable('The store does not answer'))).toHaveLength(2);
  });

  it('is not requested again after a refusal', async () => {
    await expect(commandsOf(new Fault('argument', 'wrong'))).rejects.toThrow('wrong');
  });
});
