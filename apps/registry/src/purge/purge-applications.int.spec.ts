import { afterEach, expect, it } from '@jest/globals';
import { openCommits, openLogs, openRedaction } from '@tidings/event-store';
import { topicNames } from '@tidings/events';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { defaultQuotas } from '@tidings/kernel';
import { BADGE_BLOCKS, COUNTED_PAGES, planEventCodec } from '@tidings/registry-store';
import { describeWithMongo } from '@tidings/testing';
import { accountsLog } from '../accounts/account-log.ts';
import { openAccountStore } from '../accounts/account-store.ts';
import { accountWriter } from '../accounts/account-writer.ts';
import { openBlacklist } from '../addresses/blacklist.ts';
import { devicesLog } from '../devices/commands/device-log.ts';
import { openSelfReported } from '../devices/storage/self-reported.ts';
import { openSequences } from '../devices/storage/sequences.ts';
import { visitsLog } from '../geozones/visit-log.ts';
import { RegistryUnderTest } from '../testing/registry-under-test.ts';
import { openPurge, type PurgeDeps } from './purge-applications.ts';

describeWithMongo('the purge of deleted applications', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const closings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closings.splice(0).reverse()) await close();
  });

  const never = new AbortController().signal;
  const devices = () => mongo.db.collection('devices');
  const unpurged = async (): Promise<string[]> =>
    (await openAccountStore(mongo.db, test.clock).unpurged()).map(({ code }) => code);
  const commitsWith = async (text: string): Promise<number> => {
    const found = await mongo.db.collection('devices.commits').find({}, { promoteBuffers: true }).toArray();
    return found.filter(({ events }) => (events as Buffer[]).some((bytes) => bytes.includes(text))).length;
  };

  async function openAlone(changed: (deps: PurgeDeps) => Partial<PurgeDeps> = () => ({})) {
    await test.registry.close();
    closings.push(async () => (test.registry = await test.open()));
    const { db } = mongo;
    const accountsDefinition = accountsLog(defaultQuotas);
    const definition = devicesLog({
      sequences: openSequences(db),
      readSelfReported: openSelfReported(db),
      readBlacklist: openBlacklist(db),
    });
    const accounts = openLogs(db, accountsDefinition, { clock: test.clock });
    const logs = openLogs(db, definition, { clock: test.clock });
    closings.push(
      () => accounts.close(),
      () => logs.close(),
    );
    const deps: PurgeDeps = {
      db,
      clock: test.clock,
      logs,
      store: openAccountStore(db, test.clock),
      write: accountWriter(accounts),
      commits: {
        accounts: openRedaction(db, accountsDefinition),
        devices: openRedaction(db, definition),
        plans: openCommits(db, { category: 'plans', ...planEventCodec }),
        visits: openCommits(db, visitsLog),
      },
    };
    const remove = (application: string) =>
      deps.write({
        account: 'default',
        action: { type: 'deleteApplication', application },
        at: new Date(test.clock.now()),
      });
    return { ...openPurge({ ...deps, ...changed(deps) }), remove };
  }

  const fill = async (name: string, count: number): Promise<string> => {
    const application = await test.newApplication();
    const hwids = Array.from({ length: count }, (_, i) => `${name}-${i}`);
    await test.apply(
      ...hwids.map((hwid) => test.command(hwid, test.registration({ pushToken: hwid }), { application })),
    );
    const language = { $case: 'setTags', value: { tags: { Language: 'fr' } } } as const;
    await test.apply(...hwids.slice(0, 3).map((hwid) => test.command(hwid, language, { application })));
    return application;
  };
  it('redacts events and removes devices, and delays no other erasure', async () => {
    const application = await fill('whole', 1200);
    const kept = await fill('kept', 5);
    await test.settle();
    await test.registry.applications.deleteApplication({ account: 'default', application });
    const published = await test.published(
      topicNames.devices,
      (bytes) => DeviceEvent.decode(bytes),
      async () => {
        await test.apply(test.command('kept-0', { $case: 'erase', value: {} }, { application: kept }));
      },
    );
    expect(await devices().countDocuments({ app: application, status: 1 })).toBe(0);
    const erased = published.filter(({ value }) => value.event?.$case === 'erased');
    expect(erased.map(({ value }) => value.application)).toEqual([kept]);
    expect(await commitsWith('whole-')).toBe(0);
    expect(await commitsWith('kept-0')).toBe(0);
    expect(await commitsWith('kept-1')).toBeGreaterThan(0);
    test.clock.advance(10);
    await test.settle();
    expect(await unpurged()).toEqual([]);
    expect(await devices().countDocuments({ app: application })).toBe(0);
    expect(await devices().countDocuments({ app: kept, status: 1 })).toBe(4);
  });

  it('completes a small application while a big one is not completed', async () => {
    const [big, small] = [await fill('big', 30), await fill('small', 3)];
    const held = Promise.withResolvers<void>();
    const purge = await openAlone(({ logs }) => ({
      logs: {
        ...logs,
        async submit(log, command) {
          if (command.identity.application === big) await held.promise;
          return logs.submit(log, command);
        },
      },
    }));
    await purge.remove(big);
    await purge.remove(small);
    test.clock.advance(10);
    const running = purge.run(never);
    while ((await unpurged()).includes(small));
    expect(await unpurged()).toEqual([big]);
    expect(await purge.open()).toEqual([{ service: 'registry', application: big, devices: 30n }]);
    expect(await devices().countDocuments({ app: big, status: 1 })).toBe(30);
    held.resolve();
    await running;
    expect(await unpurged()).toEqual([]);
    expect(await purge.open()).toEqual([]);
  });

  it('resumes after a process died between an erasure and its redaction', async () => {
    const application = await fill('died', 20);
    const purge = await openAlone(({ commits }) => {
      let dies = true;
      const replace: typeof commits.devices.replace = async (changes) => {
        if (!dies) return commits.devices.replace(changes);
        dies = false;
        throw new Error('died');
      };
      return { commits: { ...commits, devices: { ...commits.devices, replace } } };
    });
    await purge.remove(application);
    test.clock.advance(10);
    await expect(purge.run(never)).rejects.toThrow('died');
    expect(await devices().countDocuments({ app: application, status: 1 })).toBe(0);
    expect(await commitsWith('died-')).toBeGreaterThan(0);
    await purge.run(never);
    expect(await commitsWith('died-')).toBe(0);
    expect(await devices().countDocuments({ app: application })).toBe(0);
    expect(await unpurged()).toEqual([]);
  });

  it('removes the badges and counted sends of its plans, and no others', async () => {
    const [application, kept] = [await fill('planned', 1), await fill('other', 1)];
    const stored = [BADGE_BLOCKS, COUNTED_PAGES].map((name) => mongo.db.collection<{ _id: string }>(name));
    for (const each of stored) await each.insertMany([application, kept].map((code) => ({ _id: `${code}/0/0` })));
    const purge = await openAlone();
    await purge.remove(application);
    test.clock.advance(10);
    await purge.run(never);
    const left = await Promise.all(stored.map((each) => each.find().toArray()));
    expect(left.map((found) => found.map(({ _id }) => _id))).toEqual([[`${kept}/0/0`], [`${kept}/0/0`]]);
  });

  test.expectNoWarnings();
});
