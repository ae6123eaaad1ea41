import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, HttpClient, issueTokens } from '@tidings/client';
import { isAlive } from '@tidings/coordination';
import { canRunKafka, findMongod } from '@tidings/local-servers';
import { type Operations, OperationsDefinition } from '@tidings/rpc';
import { openReplicas, remote, remoteServices } from '@tidings/rpc/grpc';
import { buildAll, describeWithKafka, describeWithMongo } from '@tidings/testing';
import { type NodeProcess, startNode } from '@tidings/testing/processes';
import { freePort, masterKeyId, openKeys, systemDatabase } from '@tidings/runtime';

const entryOf = (program: string): string => fileURLToPath(new URL(`../../${program}.js`, import.meta.url));

interface Ready {
  readonly grpc: string;
  readonly health?: string;
  readonly http?: string;
}

describeWithKafka('service processes', (kafka) => {
  describeWithMongo('service processes on a MongoDB', (mongo) => {
    let folder: string;
    const running: NodeProcess[] = [];
    const admin = 'token-of-the-administrator';

    const environment = (): Record<string, string> => ({
      HOST: '127.0.0.1',
      PORT: '0',
      GRPC_PORT: '0',
      EVENTS_PORT: '0',
      HEALTH_PORT: '0',
      // The path of the URL is the prefix of the databases.
      MONGO_URL: mongo.url.replace(/\/(\?|$)/, `/${mongo.prefix}$1`),
      KAFKA_BROKERS: kafka.brokers,
      KAFKA_NAMESPACE: kafka.namespace,
      TIDINGS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      TIDINGS_ADMIN_TOKEN: admin,
      PUBLIC_URL: 'https://push.example',
      LOG_LEVEL: 'info',
    });
    const start = async (program: string, env: Record<string, string> = {}): Promise<NodeProcess> => {
      const logFile = join(folder, `${program.replaceAll('/', '-')}.log`);
      const started = await startNode({ entry: entryOf(program), env: { ...environment(), ...env }, logFile });
      running.push(started);
      return started;
    };
    const linesOf = (process: NodeProcess): Record<string, unknown>[] =>
      process
        .output()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const logged = async (process: NodeProcess, message: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const line = linesOf(process).find(({ msg }) => msg === message);
        if (line) return line;
        if (!process.alive()) throw new Error(`ended before "${message}":\n${process.output()}${process.errors()}`);
        await delay(10);
      }
    };
    const ready = async (process: NodeProcess): Promise<Ready> => (await logged(process, 'ready')) as unknown as Ready;
    const statusOf = async (url: string): Promise<{ status: number; body: unknown }> => {
      const http = new HttpClient(url, 1);
      try {
        return await http.send('/readyz');
      } finally {
        http.close();
      }
    };
    const end = async (process: NodeProcess): Promise<number | NodeJS.Signals> => {
      process.signal('SIGTERM');
      return process.ended();
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tidings-processes-'));
      await buildAll();
    });
    afterAll(async () => {
      for (const process of running) process.signal('SIGKILL');
      await Promise.all(running.map((process) => process.ended()));
      await rm(folder, { recursive: true, force: true });
    });

    it('end at once, with a line each, when settings are missing or wrong', async () => {
      const registry = await start('registry/dist/main', {
        MONGO_URL: '',
        KAFKA_BROKERS: 'kafka',
        TIDINGS_MASTER_KEY: '',
      });
      expect(await registry.ended()).toBe(1);
      expect(registry.errors().split('\n')).toEqual([
        'Tidings registry cannot start.',
        'KAFKA_BROKERS: must be host:port,host:port,…',
        'TIDINGS_MASTER_KEY: is required',
        'MONGO_URL: is required',
        '',
      ]);
      expect(registry.output()).toBe('');
    });

    it('end with one sentence if a port is in use, or the address does not belong to the machine', async () => {
      const holder = createServer().listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo;
      const refusals: readonly (readonly [program: string, env: Record<string, string>, reason: string])[] = [
        ['statistics', { HEALTH_PORT: String(port) }, `HEALTH_PORT: ${port} is in use`],
        ['statistics', { GRPC_PORT: String(port) }, `GRPC_PORT: ${port} is in use`],
        ['gateway', { PORT: String(port) }, `PORT: ${port} is in use`],
        ['statistics', { HOST: '192.0.2.1' }, 'HOST: 192.0.2.1 is no address of this machine'],
      ];
      try {
        for (const [program, env, reason] of refusals) {
          const refused = await start(`${program}/dist/main`, env);
          expect([await refused.ended(), refused.errors()]).toEqual([
            1,
            `Tidings ${program} cannot start.\n${reason}\n`,
          ]);
        }
      } finally {
        holder.close();
      }
    });

    it('wait for missing dependencies, answer by gRPC, and end in order', async () => {
      const health = `http://127.0.0.1:${await freePort()}`;
      const registry = await start('registry/dist/main', { HEALTH_PORT: new URL(health).port });
      await logged(registry, 'Kafka is not available yet');
      expect(await statusOf(health)).toMatchObject({ status: 503, body: { error: { kafka: { status: 'down' } } } });

      const topics = await start('platform/dist/topics');
      expect(await topics.ended()).toBe(0);
      expect(linesOf(topics)).toMatchObject([{ service: 'topics', msg: 'ready' }]);
      const again = await start('platform/dist/topics');
      expect(await again.ended()).toBe(0);
      expect(linesOf(again)).toMatchObject([{ created: [], altered: [] }]);

      const { grpc } = await ready(registry);
      expect(await statusOf(health)).toMatchObject({ status: 200, body: { status: 'ok' } });
      const replicas = await openReplicas(grpc, { access: { masterKeys: [Buffer.alloc(32, 7)] } });
      const { accounts, tags } = remoteServices('registry', replicas);
      const { account } = await accounts.createAccount({ name: 'A' });
      const tag = { account, name: 'Level', type: 1, applicationSpecific: false };
      await tags.addTag(tag);
      await expect(tags.addTag(tag)).rejects.toMatchObject({ kind: 'argument', message: 'Tag already exists' });
      replicas.close();

      expect(await end(registry)).toBe(0);
      expect(linesOf(registry).at(-1)).toMatchObject({ msg: 'stopped' });
    });

    it('end with one sentence, and no stack, if the MongoDB is not a replica set', async () => {
      const [program, port] = [(await findMongod())!, await freePort()];
      const args = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1'];
      const alone = spawn(program, args, { stdio: 'ignore' });
      try {
        const refused = await start('statistics/dist/main', { MONGO_URL: `mongodb://127.0.0.1:${port}/` });
        expect(await refused.ended()).toBe(1);
        expect(refused.errors()).toMatch(
          /^Tidings statistics cannot start\.\nMONGO_URL: the server at .+ is no replica set: .+\n$/,
        );
        expect(refused.output()).not.toContain('stack');
      } finally {
        alone.kill('SIGKILL');
      }
    });

    describe('several services in one process', () => {
      const together = async (services: string, env: Record<string, string> = {}): Promise<NodeProcess> =>
        start('platform/dist/main', { TIDINGS_SERVICES: services, GRPC_PORT: String(await freePort()), ...env });

      it.each([
        ['registry,pigeon', '', /^TIDINGS_SERVICES: must be of gateway, .*, with commas$/],
        ['registry,registry', '', /^TIDINGS_SERVICES: must name each service once$/],
        ['registry,', '', /^TIDINGS_SERVICES: must be of /],
        ['registry,dispatcher', ' registry+dispatcher', /^TIDINGS_CHANNEL: is required$/],
      ])('end at once with one line for the services "%s"', async (services, who, reason) => {
        const refused = await together(services);
        expect(await refused.ended()).toBe(1);
        const [first, second, ...rest] = refused.errors().split('\n');
        expect([first, second, rest]).toEqual([`Tidings${who} cannot start.`, expect.stringMatching(reason), ['']]);
      });

      it('end together, with the name of the one that cannot start', async () => {
        const holder = createServer().listen(0, '127.0.0.1');
        await once(holder, 'listening');
        const { port } = holder.address() as AddressInfo;
        try {
          const refused = await together('statistics,webhooks', { EVENTS_PORT: String(port) });
          expect(await refused.ended()).toBe(1);
          expect(refused.errors()).toBe(`Tidings webhooks cannot start.\nEVENTS_PORT: ${port} is in use\n`);
        } finally {
          holder.close();
        }
      });

      it('are ready together, call each other at the own address, and end in order', async () => {
        const names = ['gateway', 'registry', 'fanout', 'scheduler', 'audience-jobs', 'statistics', 'webhooks'];
        const all = [...names, 'dispatcher'].join();
        const process = await together(all, { HEALTH_PORT: '', TIDINGS_CHANNEL: 'apns,fcm' });
        const { http, grpc } = await ready(process);
        // A gateway starts without its registry where that is slow.
        while ((await statusOf(http!)).status !== 200) await delay(20);
        const secrets = await issueTokens(http!, admin);
        const client = new ApiClient(http!, secrets);
        const { application } = await client.call('createApplication', { title: 'App' });
        await client.call('registerDevice', { application, hwid: 'phone', device_type: 3, push_token: 'x' });
        while ((await client.reply('settled')).status !== 200) await delay(100);
        client.close();

        const replicas = await openReplicas(grpc, { access: { masterKeys: [Buffer.alloc(32, 7)] } });
        const operations = remote<Operations>(OperationsDefinition, replicas);
        for (const service of ['gateway', 'registry'])
          expect((await operations.settled({ service })).open.filter((line) => !line.startsWith(service))).toEqual([]);
        await expect(operations.settled({ service: 'pigeon' })).rejects.toMatchObject({ kind: 'unavailable' });
        replicas.close();

        const lines = linesOf(process);
        expect(lines.filter(({ msg }) => msg === 'ready')).toMatchObject([{ service: all.replaceAll(',', '+') }]);
        expect(await end(process)).toBe(0);
        expect(linesOf(process).at(-1)).toMatchObject({ msg: 'stopped' });
        expect(linesOf(process).filter(({ level }) => level === 'error')).toEqual([]);
      });
    });

    it('end in order while they wait', async () => {
      const registry = await start('registry/dist/main', { KAFKA_NAMESPACE: 'nobody.' });
      await logged(registry, 'Kafka is not available yet');
      expect(await end(registry)).toBe(0);
    });

    describe('two gateways before two registries', () => {
      let registries: NodeProcess[];
      let urls: string[];

      beforeAll(async () => {
        registries = await Promise.all([start('registry/dist/main'), start('registry/dist/main')]);
        const addresses = (await Promise.all(registries.map(ready))).map(({ grpc }) => grpc);
        const gateways = await Promise.all(
          [1, 2].map(() => start('gateway/dist/main', { HEALTH_PORT: '', REGISTRY_ADDRESS: addresses.join(',') })),
        );
        urls = (await Promise.all(gateways.map(ready))).map(({ http }) => http!);
      });

      it('see the writes of another replica at once', async () => {
        const [here, there] = urls as [string, string];
        for (let round = 0; round < 5; round++) {
          const secrets = await issueTokens(here, admin);
          const [one, other] = [new ApiClient(here, secrets), new ApiClient(there, secrets)];
          const { application } = await other.call('createApplication', { title: 'App' });
          const device = { application, hwid: 'phone' };
          await one.call('registerDevice', {
            ...device,
            device_type: 3,
            push_token: 'x',
            tags: { [`New ${round}`]: 1 },
          });
          await one.call('addTag', { tag: { name: `New ${round}`, type: 1 } });
          await other.call('registerDevice', {
            ...device,
            device_type: 3,
            push_token: 'x',
            tags: { [`New ${round}`]: 7 },
          });
          expect((await one.call('getTags', device)).result).toMatchObject({ [`New ${round}`]: 7 });
          one.close();
          other.close();
        }
      });

      it('lose no command when a registry is killed, and count each once', async () => {
        const [here, there] = urls as [string, string];
        const secrets = await issueTokens(here, admin);
        const clients = [new ApiClient(here, secrets), new ApiClient(there, secrets)];
        const { application } = await clients[0]!.call('createApplication', { title: 'App' });
        await clients[0]!.call('addTag', { tag: { name: 'Count', type: 1 } });
        const devices = Array.from({ length: 20 }, (_, i) => ({ application, hwid: `d${i}` }));
        const register = { device_type: 3, push_token: 'x' };
        for (const device of devices) await clients[0]!.call('registerDevice', { ...device, ...register });
        let killed = false;
        const sets = devices.map(async (device, i) => {
          for (let n = 1; n <= 40; n++) {
            await clients[(i + n) % 2]!.call('setTags', { ...device, tags: { Count: n } });
            if (n === 10 && !killed) {
              killed = true;
              registries[0]!.signal('SIGKILL');
            }
          }
        });
        await Promise.all(sets);
        for (const device of devices) {
          expect((await clients[1]!.call('getTags', device)).result).toMatchObject({ Count: 40 });
        }
        for (const client of clients) client.close();
      });
    });

    it('end with the ids of both keys if the data was written with another master key', async () => {
      const [own, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
      // The first start records the key; every service compares its own with the record.
      await openKeys(systemDatabase(mongo.client, mongo.prefix), [own]);
      const settings = { TIDINGS_MASTER_KEY: other.toString('base64') };
      for (const program of ['registry/dist/main', 'statistics/dist/main']) {
        const process = await start(program, settings);
        expect(await process.ended()).toBe(1);
        expect(process.errors()).toContain(
          `TIDINGS_MASTER_KEY: the data was written with the master key ${masterKeyId(own)}, and this is the key ${masterKeyId(other)}\n`,
        );
      }
    });

    it('end with the ids of both keys without a store, once the registry reports its key', async () => {
      const [own, other] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
      const port = String(await freePort());
      const gateway = await start('gateway/dist/main', {
        HEALTH_PORT: '',
        REGISTRY_ADDRESS: `127.0.0.1:${port}`,
        TIDINGS_MASTER_KEY: other.toString('base64'),
      });
      const { http } = await ready(gateway);
      expect((await statusOf(http!)).status).toBe(503);
      const registry = await start('registry/dist/main', { GRPC_PORT: port });
      expect(await gateway.ended()).toBe(1);
      expect(gateway.errors()).toContain(
        `the data was written with the master key ${masterKeyId(own)}, and this is the key ${masterKeyId(other)}\n`,
      );
      expect(await end(registry)).toBe(0);
    });

    it('end with a starter that is killed, running or frozen, and so do its stores', async () => {
      const starter = spawn(
        process.execPath,
        ['--input-type=module', '-e', STARTER, folder, entryOf('platform/dist/main')],
        {
          cwd: fileURLToPath(new URL('../../../', import.meta.url)),
          env: { ...process.env, LOG_LEVEL: 'error', TIDINGS_WITH_KAFKA: canRunKafka() ? '1' : '' },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const [line] = (await once(starter.stdout, 'data')) as [Buffer];
      const pids = JSON.parse(String(line)) as number[];
      expect(pids.filter((pid) => isAlive(pid))).toHaveLength(canRunKafka() ? 4 : 3);
      starter.kill('SIGKILL');
      while (pids.some((pid) => isAlive(pid))) await delay(10);
    });
  });
});

/** Prints the process ids of a frozen platform, its MongoDB, another MongoDB and a Kafka. */
const STARTER = `
  import { join } from 'node:path';
  import { startLocalKafka, startMongod } from '@tidings/local-servers';
  import { freePort } from '@tidings/runtime';
  import { startPlatformProcess } from '@tidings/testing/processes';
  const [folder, entry] = process.argv.slice(1);
  const [platform, mongod, kafka] = await Promise.all([
    startPlatformProcess({ entry, dataFolder: folder, port: await freePort() }),
    startMongod(join(folder, 'store')),
    process.env.TIDINGS_WITH_KAFKA ? startLocalKafka(join(folder, 'kafka')) : [],
  ]);
  process.kill(platform.pid, 'SIGSTOP');
  console.log(JSON.stringify([platform.pid, await platform.mongodPid(), mongod.pid, kafka.pid].filter(Boolean)));
  setInterval(() => {}, 1e6);
`;
