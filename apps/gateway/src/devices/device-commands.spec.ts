import { Fault } from '@tidings/kernel';
import { DeviceCommand, type DeviceCommands, type DeviceReplies } from '@tidings/rpc';
import { deviceCommands } from './device-commands.ts';

const commandFor = (hwid: string): DeviceCommand => DeviceCommand.fromPartial({ account: 'a', application: 'x', hwid });
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A registry whose calls the test answers. */
function setUp() {
  const calls: {
    readonly hwids: string[];
    answer(replies?: DeviceReplies['replies']): void;
    fail(error: Error): void;
  }[] = [];
  const group = deviceCommands({
    apply: ({ commands }: DeviceCommands) =>
      new Promise((resolve, reject) => {
        calls.push({
          hwids: commands.map(({ hwid }) => hwid),
          answer: (replies = commands.map(() => ({ fault: undefined }))) => resolve({ replies }),
          fail: reject,
        });
      }),
  });
  return { calls, group };
}

/** Two calls under way, so that what comes now has to wait. */
async function setUpBusy() {
  const world = setUp();
  const first = world.group.submit(commandFor('first'));
  const second = world.group.submit(commandFor('second'));
  await turn();
  return { ...world, done: [first, second] };
}

describe('deviceCommands', () => {
  it('sends at once when no call is in flight', async () => {
    const { calls, group } = setUp();
    const done = group.submit(commandFor('a'));
    expect(calls.map(({ hwids }) => hwids)).toEqual([['a']]);
    calls[0]!.answer();
    await done;
    await turn();
    expect(group.open()).toBe(0);
  });

  it('has two calls in flight and makes what arrives meanwhile the next one', async () => {
    const { calls, group, done } = await setUpBusy();
    for (const hwid of ['c', 'd', 'e']) done.push(group.submit(commandFor(hwid)));
    await turn();
    expect(calls.map(({ hwids }) => hwids)).toEqual([['first'], ['second']]);
    expect(group.open()).toBe(5);
    calls[1]!.answer();
    await turn();
    expect(calls[2]!.hwids).toEqual(['c', 'd', 'e']);
    calls[0]!.answer();
    calls[2]!.answer();
    await Promise.all(done);
  });

  it('sends at most 500 together', async () => {
    const { calls, group, done } = await setUpBusy();
    for (let i = 0; i < 600; i++) done.push(group.submit(commandFor(String(i))));
    calls[0]!.answer();
    calls[1]!.answer();
    await turn();
    expect(calls.map(({ hwids }) => hwids.length)).toEqual([1, 1, 500, 100]);
    calls[2]!.answer();
    calls[3]!.answer();
    await Promise.all(done);
  });

  it('answers each on its own', async () => {
    const { calls, group } = await setUpBusy();
    const [a, b] = ['a', 'b'].map((hwid) => group.submit(commandFor(hwid)));
    calls[0]!.answer();
    await turn();
    calls[2]!.answer([{ fault: { kind: 'argument', text: 'Device not found' } }, { fault: undefined }]);
    await expect(a).rejects.toMatchObject({ kind: 'argument', message: 'Device not found' });
    await expect(b).resolves.toBeUndefined();
  });

  it('fails all of a call that failed, and goes on', async () => {
    const { calls, group } = setUp();
    const first = group.submit(commandFor('a'));
    calls[0]!.fail(Fault.unavailable('registry does not answer'));
    await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
    const second = group.submit(commandFor('b'));
    calls[1]!.answer([]);
    await expect(second).rejects.toMatchObject({ kind: 'bug' });
  });
});
