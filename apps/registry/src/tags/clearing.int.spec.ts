import { expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { describeWithMongo } from '@tidings/testing';
import { RegistryUnderTest } from '../testing/registry-under-test.ts';

const account = 'default';
const name = 'Short-lived';

describeWithMongo('the values of a deleted tag (R-D2)', (mongo) => {
  const test = new RegistryUnderTest(mongo);

  it('are removed from the devices of every application', async () => {
    const type = TagType.TAG_TYPE_INTEGER;
    await test.registry.tags.addTag({ account, name, type, applicationSpecific: true });
    for (const application of [test.app, test.sibling]) {
      await test.register('loser', {}, { application });
      await test.setTags('loser', { [name]: 1 }, { application });
    }
    const valued = (): Promise<number> => mongo.db.collection('devices').countDocuments({ hwid: 'loser', 'tags.v': 1 });
    expect(await valued()).toBe(2);
    await test.registry.tags.deleteTag({ account, name });
    await test.settle();
    expect(await valued()).toBe(0);
  });

  test.expectNoWarnings();
});
