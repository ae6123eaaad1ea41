import { describe, expect, it } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { inProcess } from './binding.ts';
import { faultOfView, viewOfFault } from './fault-view.ts';
import { all, type Echo, echoDefinition, Echoing, rpcFeatures } from './rpc.features.ts';

rpcFeatures('the in-process binding', async () => ({
  bind: async (definition, implementation) => inProcess(definition, implementation),
  close: async () => undefined,
}));

describe('the in-process binding, besides', () => {
  it('keeps Faults whole, and the cause of a bug', async () => {
    const refused = Fault.argument('no');
    await expect(inProcess<Echo>(echoDefinition, new Echoing(refused)).say({ text: 'a' })).rejects.toBe(refused);
    const cause = new TypeError('oops');
    const broken = inProcess<Echo>(echoDefinition, new Echoing(cause));
    await expect(broken.say({ text: 'a' })).rejects.toMatchObject({ kind: 'bug', internal: 'oops', cause });
    await expect(all(broken.repeat({ text: 'a' }))).rejects.toMatchObject({ kind: 'bug', cause });
  });

  it('refuses an implementation that lacks a method', () => {
    expect(() => inProcess(echoDefinition, { say: () => undefined })).toThrow(
      expect.objectContaining({ internal: 'test.Echo lacks repeat' }),
    );
  });
});

describe('a Fault within a reply', () => {
  it('keeps only its kind and public text', () => {
    const fault = new Fault('conflict', 'taken', { internal: 'by whom', cause: new Error('x') });
    expect(viewOfFault(fault)).toEqual({ kind: 'conflict', text: 'taken' });
    expect(faultOfView(viewOfFault(fault))).toMatchObject({ kind: 'conflict', message: 'taken', internal: undefined });
    expect(faultOfView({ kind: 'later', text: 'x' }).kind).toBe('bug');
  });
});
