import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Fault } from '@tidings/kernel';
import { findMongod, type LocalReplicaSet, startLocalReplicaSet } from '@tidings/local-servers';
import { describeWhere } from './describe-where.ts';

const MEMBERS = 3;
const START_TIMEOUT_MS = 180_000;
const canRunMongod = (await findMongod()) !== undefined;

/** On this machine for this suite alone, which may kill, freeze and restart it. */
export function describeWithReplicaSet(name: string, suite: (set: LocalReplicaSet) => void): void {
  describeWhere(canRunMongod)(name, () => {
    let folder: string | undefined;
    let started: LocalReplicaSet | undefined;
    const set = (): LocalReplicaSet => {
      if (!started) throw Fault.bug('MongoDB is there from beforeAll on');
      return started;
    };
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tidings-mongo-'));
      started = await startLocalReplicaSet(folder, MEMBERS);
    }, START_TIMEOUT_MS);
    suite({
      get url() {
        return set().url;
      },
      get members() {
        return set().members;
      },
      primary: () => set().primary(),
    });
    // After the hooks of the suite, which close its connections first.
    afterAll(async () => {
      await Promise.all((started?.members ?? []).map((member) => member.kill()));
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });
  });
}
