import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitWithParent, isProcessOf, killNow } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { freePorts } from '@tidings/runtime';
import { type Document, MongoClient } from 'mongodb';
import { createUser, mongodKey, type MongodKey, REPLICA_SET, replicaSetUrl } from './mongod-access.ts';
import { LEAST_CACHE_GB, notStarted, spawnServer, START_TIMEOUT_MS, untilListening } from './mongod-process.ts';
import { findMongod } from './mongod-program.ts';
import { writeNote } from './server-note.ts';
import { kill, untilCheckpoint, withAdmin } from './mongod.ts';

export interface LocalReplicaSet {
  readonly url: string;
  readonly members: readonly LocalMember[];
  primary(): Promise<LocalMember>;
}

export interface LocalMember {
  readonly address: string;
  readonly pid: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** A server's default is 10 s. */
const NOTICED_SECONDS = 3;
const CHECK_INTERVAL_MS = 50;

/** Takes writes while more than half of the members run. */
export async function startLocalReplicaSet(folder: string, count: number): Promise<LocalReplicaSet> {
  const program = await findMongod();
  if (program === undefined) throw Fault.unavailable('No MongoDB server program found: install mongod');
  const key = await mongodKey(folder);
  const ports = await freePorts(count);
  const members = ports.map((port, i) => new Member(program, join(folder, `member-${i + 1}`), { port, key }));
  await Promise.all(members.map((member) => member.start()));
  const url = replicaSetUrl(
    members.map(({ address }) => address),
    key,
  );
  await withAdmin(ports[0]!, key, async (admin) => {
    await admin.command({
      replSetInitiate: {
        _id: REPLICA_SET,
        members: members.map(({ address }, _id) => ({ _id, host: address })),
        // A new primary waits for every member or its time-out.
        settings: { electionTimeoutMillis: NOTICED_SECONDS * 1000, heartbeatTimeoutSecs: NOTICED_SECONDS },
      },
    });
  });
  await Promise.all(members.map((member) => member.waitUntilReady()));
  const primary = await primaryOf(members);
  await withAdmin(primary.port, key, (admin) => createUser(admin, key));
  await Promise.all(ports.map((port) => withAdmin(port, key, untilCheckpoint)));
  return { url, members, primary: () => primaryOf(members) };
}

/** By majority: a thawed former primary is outvoted. */
async function primaryOf(members: readonly Member[]): Promise<Member> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const hellos = await Promise.all(members.map((member) => member.hello()));
    const votes = ({ address }: Member): number => hellos.filter((hello) => hello['primary'] === address).length;
    // An elected member takes no writes before it has caught up.
    const primary = members.find((member, i) => hellos[i]!['ismaster'] && votes(member) > members.length / 2);
    if (primary) return primary;
    if (performance.now() > deadline) throw Fault.unavailable('MongoDB elected no primary');
    await delay(CHECK_INTERVAL_MS);
  }
}

interface MemberOptions {
  readonly port: number;
  readonly key: MongodKey;
}

class Member implements LocalMember {
  readonly port: number;
  readonly #program: string;
  readonly #folder: string;
  readonly #key: MongodKey;
  #pid = 0;
  readonly #endNow = (): void => {
    if (isProcessOf(this.#pid, this.#folder)) killNow(this.#pid);
  };

  constructor(program: string, folder: string, { port, key }: MemberOptions) {
    this.port = port;
    this.#program = program;
    this.#folder = folder;
    this.#key = key;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#pid;
  }

  async start(): Promise<void> {
    const note = join(this.#folder, 'tidings-mongod.json');
    await mkdir(this.#folder, { recursive: true });
    const options = { port: this.port, keyFile: this.#key.file, cacheGb: LEAST_CACHE_GB };
    const child = await spawnServer(this.#program, this.#folder, options);
    this.#pid = child.pid;
    await writeNote(note, { pid: child.pid });
    exitWithParent(note);
    process.once('exit', this.#endNow);
    const ended = child.ended.then(async () => {
      throw await notStarted(child, this.#folder);
    });
    ended.catch(() => undefined);
    await Promise.race([untilListening(this.port, this.#folder), ended]);
  }

  async kill(): Promise<void> {
    process.off('exit', this.#endNow);
    if (isProcessOf(this.#pid, this.#folder)) await kill(this.#pid);
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
    await this.waitUntilReady();
  }

  async waitUntilReady(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      const { ismaster, secondary } = await this.hello();
      if (ismaster || secondary) return;
      if (performance.now() > deadline)
        throw Fault.unavailable(`MongoDB at ${this.address} did not join its replica set`);
      await delay(CHECK_INTERVAL_MS);
    }
  }

  async hello(): Promise<Document> {
    const client = new MongoClient(`mongodb://${this.address}/?directConnection=true`, {
      serverSelectionTimeoutMS: 1_000,
      socketTimeoutMS: 1_000,
    });
    try {
      return await client.db('admin').command({ isMaster: 1 });
    } catch {
      return {};
    } finally {
      await client.close();
    }
  }
}
