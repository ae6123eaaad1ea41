import { setImmediate as turn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { DeviceCommand, type DeviceCommands, type DeviceReplies } from '@tidings/rpc';
import { deviceCommands } from './device-commands.ts';

const commandFor = (hwid: string): DeviceCommand => DeviceCommand.fromPartial({ account: 'a', application: 'x', hwid });

interface Setting {
  readonly replicaOf?: (command: DeviceCommand) => string;
  readonly limits?: { readonly commands: number; readonly bytes: number };
}

function setUp({ replicaOf, limits }: Setting = {}) {
  const calls: {
    readonly hwids: string[];
    answer(replies?: DeviceReplies['replies']): void;
    fail(error: Error): void;
  }[] = [];
  const apply = ({ commands }: DeviceCommands): Promise<DeviceReplies> =>
    new Promise((resolve, reject) => {
      calls.push({
        hwids: commands.map(({ hwid }) => hwid),
        answer: (replies = commands.map(() => ({ fault: undefined }))) => resolve({ replies }),
        fail: reject,
      });
    });
  const { submit, submitAll, open } = deviceCommands({ apply }, replicaOf, limits);
  const patient = { deadline: Infinity, bytes: 1 };
  const group = { submit: (command: DeviceCommand, caller = patient) => submit(caller, command), submitAll, open };
  return { calls, group };
}

async function setUpBusy() {
  const world = setUp();
  const first = world.group.submit(commandFor('first'));
  await turn();
  return { ...world, done: [first] };
}

describe('deviceCommands', () => {
  it('sends commands that are submitted together when no call is in flight', async () => {
    const { calls, group } = setUp();
    const done = [group.submit(commandFor('a')), group.submit(commandFor('b'))];
    await turn();
    expect(calls.map(({ hwids }) => hwids)).toEqual([['a', 'b']]);
    calls[0]!.answer();
    await Promise.all(done);
    await turn();
    expect(group.open()).toBe(0);
  });

  it('sends a group that is too large for one call in halves', async () => {
    const { calls, group, done } = await setUpBusy();
    for (const hwid of ['b', 'c', 'd']) done.push(group.submit(commandFor(hwid)));
    const settled = Promise.allSettled(done);
    calls[0]!.answer();
    for (const [i, hwids] of [['b', 'c', 'd'], ['b', 'c'], ['b'], ['c'], ['d']].entries()) {
      await turn();
      await turn();
      expect(calls[i + 1]!.hwids).toEqual(hwids);
      if (hwids.length > 1) calls[i + 1]!.fail(Fault.tooLarge('too large'));
      else if (hwids[0] === 'c') calls[i + 1]!.fail(Fault.tooLarge('alone, too'));
      else calls[i + 1]!.answer();
    }
    await turn();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(group.open()).toBe(0);
  });

  it('has one call in flight and sends the commands that arrive meanwhile in the next one', async () => {
    const { calls, group, done } = await setUpBusy();
    for (const hwid of ['c', 'd', 'e']) done.push(group.submit(commandFor(hwid)));
    await turn();
    expect(calls.map(({ hwids }) => hwids)).toEqual([['first']]);
    expect(group.open()).toBe(4);
    calls[0]!.answer();
    await turn();
    await turn();
    expect(calls[1]!.hwids).toEqual(['c', 'd', 'e']);
    calls[1]!.answer();
    await Promise.all(done);
  });

  describe('a loaded group', () => {
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
    afterEach(() => void jest.useRealTimers());

    async function setUpLoad() {
      const world = setUp();
      const submit = (hwids: string): void => {
        for (const hwid of hwids) void world.group.submit(commandFor(hwid));
      };
      submit('0123456789');
      await turn();
      submit('abc');
      world.calls[0]!.answer();
      await turn();
      await turn();
      return { ...world, submit };
    }

    it('waits for the callers just answered, and sends as soon as they are back', async () => {
      const { calls, submit } = await setUpLoad();
      submit('012345678');
      await turn();
      expect(calls).toHaveLength(1);
      submit('9');
      await turn();
      expect(calls[1]!.hwids.join('')).toBe('abc0123456789');
    });

    it('does not wait long for callers that do not come back', async () => {
      const { calls, submit } = await setUpLoad();
      submit('01');
      jest.advanceTimersByTime(5);
      await turn();
      expect(calls[1]!.hwids.join('')).toBe('abc01');
    });

    it('sends at most 500 commands together', async () => {
      const { calls, group } = setUp();
      for (let i = 0; i < 600; i++) void group.submit(commandFor(String(i)));
      await turn();
      calls[0]!.answer();
      await turn();
      jest.advanceTimersByTime(5);
      await turn();
      expect(calls.map(({ hwids }) => hwids.length)).toEqual([500, 100]);
    });
  });

  it('answers each command separately', async () => {
    const { calls, group } = setUp();
    const [a, b] = ['a', 'b'].map((hwid) => group.submit(commandFor(hwid)));
    await turn();
    calls[0]!.answer([{ fault: { kind: 'argument', text: 'Device not found' } }, { fault: undefined }]);
    await expect(a).rejects.toMatchObject({ kind: 'argument', message: 'Device not found' });
    await expect(b).resolves.toBeUndefined();
  });

  it('fails all commands of a failed call, and continues with the next', async () => {
    const { calls, group } = setUp();
    const first = group.submit(commandFor('a'));
    await turn();
    calls[0]!.fail(Fault.unavailable('registry does not answer'));
    await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
    const second = group.submit(commandFor('b'));
    await turn();
    calls[1]!.answer([]);
    await expect(second).rejects.toMatchObject({ kind: 'bug' });
  });

  it('has one call to each replica in flight, so that a slow replica delays no other', async () => {
    const { calls, group } = setUp({ replicaOf: ({ hwid }) => hwid.slice(0, 1) });
    const done = ['a1', 'b1', 'a2'].map((hwid) => group.submit(commandFor(hwid)));
    await turn();
    expect(calls.map(({ hwids }) => hwids)).toEqual([['a1', 'a2'], ['b1']]);
    for (const hwid of ['a3', 'b2']) done.push(group.submit(commandFor(hwid)));
    calls[1]!.answer();
    await turn();
    await turn();
    expect(calls.map(({ hwids }) => hwids)).toEqual([['a1', 'a2'], ['b1'], ['b2']]);
    expect(group.open()).toBe(4);
    calls[0]!.answer();
    calls[2]!.answer();
    await turn();
    await turn();
    calls[3]!.answer();
    await Promise.all(done);
    await turn();
    expect(group.open()).toBe(0);
  });

  describe('a group without a registry', () => {
    const unavailable = { kind: 'unavailable', effect: 'none' };

    it.each([
      ['commands', { commands: 3, bytes: 1_000 }, 1],
      ['bytes', { commands: 1_000, bytes: 3_000 }, 1_000],
    ])('refuses at once when the limit of waiting %s is reached', async (_what, limits, bytes) => {
      const { calls, group } = setUp({ limits });
      const caller = { deadline: Infinity, bytes };
      const waiting = ['a', 'b', 'c'].map((hwid) => group.submit(commandFor(hwid), caller));
      await expect(group.submit(commandFor('d'), caller)).rejects.toMatchObject(unavailable);
      expect(group.open()).toBe(3);
      await turn();
      calls[0]!.answer();
      await Promise.all(waiting);
      await turn();
      const next = group.submit(commandFor('e'), caller);
      await turn();
      calls[1]!.answer();
      await next;
      expect(calls.map(({ hwids }) => hwids.join(''))).toEqual(['abc', 'e']);
    });

    it('bounds the commands to all replicas together', async () => {
      const { group } = setUp({ replicaOf: ({ hwid }) => hwid, limits: { commands: 2, bytes: 10 } });
      for (const hwid of ['a', 'b']) void group.submit(commandFor(hwid));
      await expect(group.submit(commandFor('c'))).rejects.toMatchObject(unavailable);
    });

    it('counts the bytes of a request once, and sends all of its commands or none', async () => {
      const { calls, group } = setUp({ limits: { commands: 5, bytes: 3_000 } });
      const caller = { deadline: Infinity, bytes: 2_000 };
      const some = (...hwids: string[]): Promise<void> => group.submitAll(caller, hwids.map(commandFor));
      const waiting = some('a', 'b', 'c');
      await expect(some('d')).rejects.toMatchObject(unavailable);
      const small = { ...caller, bytes: 1 };
      await expect(group.submitAll(small, ['d', 'e', 'f'].map(commandFor))).rejects.toMatchObject(unavailable);
      expect(group.open()).toBe(3);
      await turn();
      calls[0]!.answer();
      await waiting;
      await turn();
      const next = some('d', 'e');
      await turn();
      calls[1]!.answer();
      await next;
      expect(calls.map(({ hwids }) => hwids.join(''))).toEqual(['abc', 'de']);
    });

    it('does not send a command whose caller has been answered', async () => {
      const { calls, group, done } = await setUpBusy();
      const late = group.submit(commandFor('late'), { deadline: performance.now() - 1, bytes: 1 });
      done.push(group.submit(commandFor('b')));
      calls[0]!.answer();
      await expect(late).rejects.toMatchObject(unavailable);
      await turn();
      expect(calls[1]!.hwids).toEqual(['b']);
      calls[1]!.answer();
      await Promise.all(done);
      await turn();
      expect(group.open()).toBe(0);
    });

    it('has room again when waiting commands have expired, though the call does not end', async () => {
      const { calls, group } = setUp({ limits: { commands: 2, bytes: 10 } });
      void group.submit(commandFor('stuck'));
      await turn();
      const late = group.submit(commandFor('late'), { deadline: performance.now() - 1, bytes: 1 });
      void group.submit(commandFor('b'));
      await expect(late).rejects.toMatchObject(unavailable);
      expect(group.open()).toBe(2);
      expect(calls).toHaveLength(1);
    });
  });
});
