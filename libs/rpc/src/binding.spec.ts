import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { inProcess } from './binding.ts';
import { faultOfView, viewOfFault } from './fault-view.ts';

const definition = {
  name: 'Echo',
  fullName: 'test.Echo',
  methods: {
    say: { name: 'Say', requestStream: false, responseStream: false },
    repeat: { name: 'Repeat', requestStream: false, responseStream: true },
  },
} as const;

class Echo {
  readonly #ending = '!';
  readonly #fault: Error | undefined;

  constructor(fault?: Error) {
    this.#fault = fault;
  }

  async say({ text }: { text: string }): Promise<{ text: string }> {
    if (this.#fault) throw this.#fault;
    return { text: text + this.#ending };
  }

  async *repeat({ text }: { text: string }): AsyncIterable<{ text: string }> {
    yield { text };
    if (this.#fault) throw this.#fault;
    yield { text: text + this.#ending };
  }

  hidden(): void {}
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

describe('the in-process binding', () => {
  it('calls the implementation, and serves nothing beyond the definition', async () => {
    const echo = inProcess(definition, new Echo());
    expect(await echo.say({ text: 'a' })).toEqual({ text: 'a!' });
    expect(await all(echo.repeat({ text: 'a' }))).toEqual([{ text: 'a' }, { text: 'a!' }]);
    expect(Object.keys(echo)).toEqual(['say', 'repeat']);
  });

  it('passes Faults on and makes a bug of anything else', async () => {
    const refused = Fault.argument('no');
    await expect(inProcess(definition, new Echo(refused)).say({ text: 'a' })).rejects.toBe(refused);
    const cause = new TypeError('oops');
    const broken = inProcess(definition, new Echo(cause));
    await expect(broken.say({ text: 'a' })).rejects.toMatchObject({ kind: 'bug', internal: 'oops', cause });
    await expect(all(broken.repeat({ text: 'a' }))).rejects.toMatchObject({ kind: 'bug', cause });
  });

  it('refuses an implementation that lacks a method', () => {
    expect(() => inProcess(definition, { say: () => undefined })).toThrow(
      expect.objectContaining({ internal: 'test.Echo lacks repeat' }),
    );
  });
});

describe('a Fault within a reply', () => {
  it('keeps its kind and public text, and nothing else', () => {
    const fault = new Fault('conflict', 'taken', { internal: 'by whom', cause: new Error('x') });
    expect(viewOfFault(fault)).toEqual({ kind: 'conflict', text: 'taken' });
    expect(faultOfView(viewOfFault(fault))).toMatchObject({ kind: 'conflict', message: 'taken', internal: undefined });
    expect(faultOfView({ kind: 'later', text: 'x' }).kind).toBe('bug');
  });
});
