import { beforeAll, expect, it } from '@jest/globals';
import { TagType } from '@tidings/events';
import { describeWithMongo } from '@tidings/testing';
import { DENIED, noFault, argument, RegistryUnderTest } from './testing/registry-under-test.ts';

describeWithMongo('the registry', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const { open, newApplication, settle, command, registration, apply, register, setTags, tagsOf, commits } = test;

  beforeAll(async () => {
    await test.registry.tags.addTag({
      account: 'default',
      name: 'Level',
      type: TagType.TAG_TYPE_INTEGER,
      applicationSpecific: false,
    });
  });

  it('selects for an export over thousands of applications without reading devices', async () => {
    const { account } = await test.registry.accounts.createAccount({ name: 'Many' });
    const codes = await Promise.all(Array.from({ length: 2000 }, () => newApplication(account)));
    const full = codes.slice(0, 3);
    await apply(...full.map((application) => command('d', registration(), { account, application })));
    const segment = { $case: 'expression', value: 'T("City", NOTEQ, "Bonn")' } as const;
    const request = { account, grant: undefined, segment };
    const { applications, expression, now } = await test.registry.segments.select(request);
    expect(new Set(applications.map(({ code }) => code))).toEqual(new Set(codes));
    expect(applications.filter(({ numbers }) => numbers > 0).map(({ code }) => code)).toEqual(
      applications.map(({ code }) => code).filter((code) => full.includes(code)),
    );
    const chosen = await test.registry.segments.chooseLookup({ application: full[0]!, expression, now });
    expect(chosen).toEqual({ lookup: [] });
  });

  it('purges a deleted application in any process, with devices that arrived late', async () => {
    const application = await newApplication();
    const names = Array.from({ length: 1200 }, (_, i) => `purged-${i}`);
    const registrations = names.map((hwid) => command(hwid, registration({ pushToken: hwid }), { application }));
    await apply(...registrations);
    const live = () => mongo.db.collection('devices').countDocuments({ app: application, status: 1 });
    const applications = mongo.db.collection<{ _id: string; deletedAt?: Date; purgedAt?: Date }>('applications');
    const state = () => applications.findOne({ _id: application });
    expect(await live()).toBe(1200);
    await test.registry.applications.deleteApplication({ account: 'default', application });
    expect(await apply(registrations[0]!)).toEqual([argument(DENIED)]);
    await test.registry.close();
    test.registry = await open();
    await settle();
    expect(await live()).toBe(0);
    expect((await test.registry.applications.findApplication({ application })).application).toBeUndefined();
    expect(await state()).not.toHaveProperty('purgedAt');
    // Simulates a replica that does not know of the deletion yet.
    const { deletedAt } = (await state())!;
    await applications.updateOne({ _id: application }, { $unset: { deletedAt: 1 } });
    await apply(command('late', registration(), { application }));
    await applications.updateOne({ _id: application }, { $set: { deletedAt: deletedAt! } });
    await settle();
    expect(await live()).toBe(0);
    test.clock.advance(10);
    for (let tries = 0; !(await state())?.purgedAt; tries++) {
      expect(tries).toBeLessThan(500);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const text = JSON.stringify(await mongo.db.collection('devices').find({ app: application }).toArray());
    expect(text).not.toContain('purged-');
  });

  it('is one registry on two replicas: numbers, shared tags, counters and tokens', async () => {
    const other = await open();
    try {
      const application = await newApplication();
      const second = await newApplication();
      const commands = Array.from({ length: 120 }, (_, i) => [
        command(`both${i % 60}`, registration({ pushToken: `both-token${i % 20}` }), {
          application: i % 2 ? application : second,
        }),
        command('counted', { $case: 'setTags', value: { tags: { Level: { operation: 'increment', value: 1 } } } }),
      ]).flat();
      await register('counted');
      const replies = await Promise.all(
        [test.registry, other].map(async ({ devices }) => {
          const answers = [];
          for (let i = 0; i < 8; i++)
            answers.push(await devices.apply({ commands: commands.slice(i * 30, i * 30 + 30) }));
          return answers;
        }),
      );
      expect(
        replies
          .flat()
          .flatMap((reply) => reply.replies)
          .filter(({ fault }) => fault),
      ).toEqual([]);
      await settle();
      expect(await tagsOf('counted')).toMatchObject({ Level: 240 });
      for (const app of [application, second]) {
        const devices = await mongo.db.collection('devices').find({ app }).toArray();
        expect(devices).toHaveLength(30);
        expect(new Set(devices.map(({ seq }) => seq as number)).size).toBe(30);
        const tokens = devices.flatMap(({ token }) => (token === undefined ? [] : [token as string]));
        expect(new Set(tokens).size).toBe(tokens.length);
        expect(tokens).toHaveLength(10);
      }
    } finally {
      await other.close();
    }
  });

  it('resumes in a new process', async () => {
    await register('restart', { pushToken: 'restart-token' });
    await test.registry.close();
    test.registry = await open();
    const before = await commits();
    expect(await register('restart', { pushToken: 'restart-token' })).toEqual(noFault);
    expect(await commits()).toBe(before);
    expect(await setTags('restart', { Level: 1 })).toEqual(noFault);
  });

  test.expectNoWarnings();
});
