import { beforeAll, describe, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import type { DeviceCommand } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { noFault, argument, RegistryUnderTest } from '../testing/registry-under-test.ts';

describeWithMongo('the registry', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { open, newApplication, command, registration, apply, register, setTags, tagsOf } = test;

  describe('tags', () => {
    const tag = (name: string, type: TagType, applicationSpecific: boolean) =>
      test.registry.tags.addTag({ account: 'default', name, type, applicationSpecific });

    beforeAll(async () => {
      await tag('Level', TagType.TAG_TYPE_INTEGER, false);
      await tag('Colour', TagType.TAG_TYPE_STRING, true);
      await tag('Products', TagType.TAG_TYPE_LIST, false);
    });

    it('are shared by the applications of the account unless they are application specific', async () => {
      await register('shared');
      await register('shared', {}, { application: test.sibling });
      expect(await setTags('shared', { Level: 3, Colour: 'red', Unknown: 1 })).toEqual(noFault);
      expect(await tagsOf('shared', { application: test.sibling })).toMatchObject({ Level: 3 });
      expect(await tagsOf('shared', { application: test.sibling })).not.toHaveProperty('Colour');
      const third = await newApplication();
      await register('shared', {}, { application: third });
      expect(await tagsOf('shared', { application: third })).toMatchObject({ Level: 3 });
    });

    it('are shared by applications that a user is registered in by one call', async () => {
      await apply(
        command('both', registration({ tags: { Level: 9, Colour: 'red' } })),
        command('both', registration({ tags: { Products: ['a'] } }), { application: test.sibling }),
      );
      expect(await tagsOf('both')).toMatchObject({ Level: 9, Products: ['a'], Colour: 'red' });
      expect(await tagsOf('both', { application: test.sibling })).toMatchObject({ Level: 9, Products: ['a'] });
    });

    it('change nothing in setTags if one is wrong, and are skipped if wrong in a registration', async () => {
      await register('wrong', { tags: { Level: 'high', Colour: 'blue', Nope: 1 } });
      expect(await tagsOf('wrong')).toMatchObject({ Colour: 'blue' });
      expect(await setTags('wrong', { Colour: 'green', Level: 'high' })).toEqual(
        argument('tags.Level: wrong value: integer expected'),
      );
      expect(await tagsOf('wrong')).toMatchObject({ Colour: 'blue' });
      expect(await setTags('nobody', {})).toEqual(argument('Device not found'));
    });

    it('are incremented exactly by concurrent requests', async () => {
      await register('counter');
      await apply(
        ...Array.from({ length: 200 }, () =>
          command('counter', { $case: 'setTags', value: { tags: { Level: { operation: 'increment', value: 1 } } } }),
        ),
      );
      expect(await tagsOf('counter')).toMatchObject({ Level: 200 });
    });

    it('are set for all devices of a user, and merged', async () => {
      await register('u1', { userId: 'bert' });
      await register('u2', { userId: 'bert' });
      expect(await setTags('', { Colour: 'red' }, { userId: 'bert' })).toEqual(noFault);
      expect(await tagsOf('u1')).toMatchObject({ Colour: 'red' });
      await setTags('u2', { Colour: 'green' });
      await setTags('u1', { Products: ['a'] });
      test.clock.advance(60);
      await apply(command('u2', { $case: 'open', value: {} }));
      expect(await tagsOf('', { userId: 'bert' })).toMatchObject({ Colour: 'green', Products: ['a'] });
      test.clock.advance(60);
      await apply(command('u1', { $case: 'open', value: {} }));
      expect(await tagsOf('', { userId: 'bert' })).toMatchObject({ Colour: 'red' });
      expect(await setTags('', {}, { userId: 'nobody' })).toEqual(argument('User not found'));
      await expect(tagsOf('', { userId: 'nobody' })).rejects.toThrow('User not found');
      await expect(tagsOf('nobody')).rejects.toThrow('Device not found');
    });

    it('record the last activity of an open, and the tags in its request', async () => {
      await register('opened');
      await apply(command('opened', { $case: 'open', value: { osVersion: '15.1', language: 'pl' } }));
      expect(await tagsOf('opened')).toMatchObject({
        'OS Version': '15.1',
        Language: 'pl',
        'Last Application Open': new Date(test.clock.now()).toISOString().slice(0, 16).replace('T', ' '),
      });
      await setTags('opened', { 'Last Application Open': { operation: 'remove', value: '2020-01-01' } });
      expect(await tagsOf('opened')).toHaveProperty('Last Application Open');
      expect(await setTags('opened', { 'Last Application Open': null })).toEqual(noFault);
      expect(await tagsOf('opened')).not.toHaveProperty('Last Application Open');
    });

    it('are listed by name, default tags included, and added once', async () => {
      const { tags } = await test.registry.tags.listTags({ account: 'default' });
      expect(tags.map(({ name }) => name)).toEqual(tags.map(({ name }) => name).toSorted());
      expect(tags.find(({ name }) => name === 'Language')).toMatchObject({
        type: TagType.TAG_TYPE_STRING,
        applicationSpecific: true,
      });
      await expect(tag('Level', TagType.TAG_TYPE_LIST, false)).rejects.toThrow('Tag already exists');
    });

    it('can be used as soon as they were added, on other replicas too', async () => {
      const [one, other] = [await open({ hasReplicas: true }), await open({ hasReplicas: true })];
      const onOther = async (what: DeviceCommand['command']): Promise<void> => {
        expect(await other.devices.apply({ commands: [command('replica', what)] })).toEqual({ replies: [noFault] });
      };
      const added = { account: 'default', type: TagType.TAG_TYPE_STRING, applicationSpecific: false };
      try {
        await register('replica');
        await one.tags.addTag({ ...added, name: 'Brand new' });
        await onOther({ $case: 'setTags', value: { tags: { 'Brand new': 'x' } } });
        expect(await tagsOf('replica')).toMatchObject({ 'Brand new': 'x' });
        // The other process has just cached that the tag does not exist.
        await onOther(registration({ tags: { Newer: 'x' } }));
        await one.tags.addTag({ ...added, name: 'Newer' });
        await onOther(registration({ tags: { Newer: 'x' } }));
        expect(await tagsOf('replica')).toMatchObject({ Newer: 'x' });
      } finally {
        await Promise.all([one.close(), other.close()]);
      }
    });

    it('become an expression in conditions', async () => {
      const resolve = (conditions: { tag: string; operator: string; operand: unknown }[]) =>
        test.resolve({ recipients: { $case: 'conditions', value: { operator: '', conditions } } });
      expect(await resolve([{ tag: 'Level', operator: 'GTE', operand: 5 }])).toMatchObject({
        $case: 'resolved',
        value: {
          audience: {
            target: {
              $case: 'selection',
              value: {
                expression: { node: { $case: 'tag', value: { operands: [{ value: { $case: 'number', value: 5 } }] } } },
              },
            },
          },
        },
      });
      expect(await resolve([{ tag: 'Nope', operator: 'EQ', operand: 1 }])).toMatchObject({
        $case: 'refusal',
        value: { reason: 'invalidCondition', field: 'selection', entry: 0, detail: 'unknown tag "Nope"' },
      });
    });
  });

  test.expectNoWarnings();
});
