import { beforeAll, describe, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { describeWithMongo } from '@tidings/testing';
import { noFault, argument, RegistryUnderTest } from '../../testing/registry-under-test.ts';

describeWithMongo('the registry', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { command, apply, register, tagsOf } = test;

  beforeAll(async () => {
    await test.registry.tags.addTag({
      account: 'default',
      name: 'Level',
      type: TagType.TAG_TYPE_INTEGER,
      applicationSpecific: false,
    });
  });

  describe('an Idempotency-Key', () => {
    const increment = (hwid: string, idempotencyKey: string) =>
      command(
        hwid,
        { $case: 'setTags', value: { tags: { Level: { operation: 'increment', value: 1 } } } },
        { idempotencyKey },
      );

    it('prevents a second effect of a repeat for a day', async () => {
      await register('once');
      await register('twice');
      const key = 'k'.repeat(255);
      expect(await apply(increment('once', key), increment('once', key), increment('twice', key))).toEqual([
        noFault,
        noFault,
        noFault,
      ]);
      await apply(increment('once', key));
      expect(await tagsOf('once')).toMatchObject({ Level: 1 });
      expect(await tagsOf('twice')).toMatchObject({ Level: 1 });
      await apply(increment('once', 'another'));
      expect(await tagsOf('once')).toMatchObject({ Level: 2 });
      test.clock.advance(24 * 3600 + 1);
      await apply(increment('once', key));
      expect(await tagsOf('once')).toMatchObject({ Level: 3 });
    });

    it('is not consumed by a refused request', async () => {
      expect(await apply(increment('later', 'k'))).toEqual([argument('Device not found')]);
      await register('later');
      await apply(increment('later', 'k'), increment('later', 'k'));
      expect(await tagsOf('later')).toMatchObject({ Level: 1 });
    });
  });

  test.expectNoWarnings();
});
