import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Mongod, startMongod } from '@tidings/local-servers';
import { mongoOptions } from '@tidings/mongo';
import { MongoClient } from 'mongodb';
import { inProcess } from './binding.ts';
import { openReplicas, type Replicas } from './grpc/replicas.ts';
import { remote } from './grpc/remote.ts';
import { type RpcProcess, serve, testAccess } from './grpc/testing/rpc-process.ts';
import { type Echo, echoDefinition } from './rpc.features.ts';

describe('a service without MongoDB', () => {
  let folder: string;
  let mongod: Mongod;
  let client: MongoClient;
  let served: RpcProcess;
  let replicas: Replicas;
  let bindings: readonly Pick<Echo, 'say'>[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-rpc-'));
    mongod = await startMongod(folder);
    client = await MongoClient.connect(mongod.url, { ...mongoOptions, serverSelectionTimeoutMS: 500 });
    const texts = client.db('echo').collection<{ readonly _id: string }>('texts');
    const stored: Pick<Echo, 'say'> = {
      async say({ text }) {
        await texts.updateOne({ _id: text }, { $set: { answered: true } }, { upsert: true });
        return { text };
      },
    };
    const definition = { ...echoDefinition, methods: { say: echoDefinition.methods.say } };
    served = await serve([[definition, stored]]);
    replicas = await openReplicas(served.address, { access: testAccess });
    bindings = [inProcess(definition, stored), remote<Pick<Echo, 'say'>>(definition, replicas)];
  });
  afterAll(async () => {
    replicas?.close();
    await served?.close();
    await client?.close();
    await mongod?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers `unavailable` meanwhile, in one process and between two, and serves again afterwards', async () => {
    for (const echo of bindings) expect(await echo.say({ text: 'before' })).toEqual({ text: 'before' });
    process.kill(mongod.pid, 'SIGKILL');
    const unavailable = { kind: 'unavailable', message: 'The store does not answer' };
    for (const echo of bindings) await expect(echo.say({ text: 'meanwhile' })).rejects.toMatchObject(unavailable);
    mongod = await startMongod(folder);
    const deadline = performance.now() + 30_000;
    for (const echo of bindings) {
      const reply = (): Promise<unknown> =>
        echo.say({ text: 'afterwards' }).catch((error: unknown) => {
          if (performance.now() > deadline) throw error;
          return reply();
        });
      expect(await reply()).toEqual({ text: 'afterwards' });
    }
  });
});
