import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Fault } from '@tidings/kernel';
import { startMongod } from '@tidings/local-servers';
import type { ClusterWorld } from '@tidings/testing';

/** The folder of `mongodump` and `mongorestore`; without it, a backup is a copy of the data folder. */
const tools = process.env['MONGO_TOOLS'];

export const pushesIn = ({ simulators: { ledger } }: ClusterWorld): number => {
  const { apns, fcm } = ledger.summary();
  return apns.accepted + apns.refused + fcm.accepted + fcm.refused;
};

/** Kills the cluster's processes. @returns the number of pushes after the moment of the backup */
export const backUp = (world: ClusterWorld, target: string): Promise<number> =>
  tools === undefined ? copy(world, target) : dump(world, target, tools);

/** As a snapshot of its volume: the server is stopped meanwhile. */
async function copy({ cluster: { mongod, members }, dataFolder }: ClusterWorld, target: string): Promise<number> {
  process.kill(mongod!.pid(), 'SIGSTOP');
  try {
    await Promise.all(members.map((member) => member.kill()));
    const filter = (path: string): boolean => !path.endsWith('.sock');
    await cp(join(dataFolder, 'mongo'), target, { recursive: true, filter });
  } finally {
    process.kill(mongod!.pid(), 'SIGCONT');
  }
  // Pushes whose outcomes the copy lacks belong to attempts that it has.
  return 0;
}

async function dump(world: ClusterWorld, target: string, folder: string): Promise<number> {
  const { mongoUrl, members } = world.cluster;
  const dumped = `${target}-dump`;
  let isOver = false;
  let until = pushesIn(world);
  await run(join(folder, 'mongodump'), ['--uri', mongoUrl, '--oplog', '--out', dumped], (line) => {
    isOver ||= line.includes('writing captured oplog');
    if (!isOver) until = pushesIn(world);
  });
  await Promise.all(members.map((member) => member.kill()));
  // The empty replica set has users of its own.
  await rm(join(dumped, 'admin'), { recursive: true });
  const mongod = await startMongod(target);
  try {
    await run(join(folder, 'mongorestore'), ['--uri', mongod.url, '--oplogReplay', dumped]);
  } finally {
    await mongod.stop();
  }
  return pushesIn(world) - until;
}

async function run(program: string, args: readonly string[], onLine: (line: string) => void = () => undefined) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    onLine(line);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw Fault.unavailable(`${program} failed:\n${lines.join('\n')}`);
}
