import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@tidings/kernel';
import { workerFolder } from './keeper.ts';

export const dockerRuns = (env: NodeJS.ProcessEnv = process.env): boolean =>
  spawnSync('docker', ['info'], { stdio: 'ignore', env }).status === 0;

export interface ServerSources {
  readonly configured: string | undefined;
  readonly container: () => Promise<string>;
  readonly program: () => Promise<string>;
}

/** The given one, else of a container if a Docker engine answers, else of a program. */
export const addressFrom = async (
  { configured, container, program }: ServerSources,
  hasDocker: () => boolean = dockerRuns,
): Promise<string> => configured ?? (await (hasDocker() ? container() : program()));

/** @param images by `major.minor` @throws Fault `unavailable` for an unknown version */
export function imageOf(server: string, images: Readonly<Record<string, string>>, version: string): string {
  const image = images[version.split('.', 2).join('.')];
  if (image === undefined) throw Fault.unavailable(`No image of ${server} ${version} is configured`);
  return image;
}

/** Shared by the suites of a Jest worker; Docker removes it when the worker has ended. */
export async function sharedContainer(name: string, start: () => Promise<string>): Promise<string> {
  const folder = workerFolder(name);
  const note = join(folder, `container-${process.pid}`);
  const recorded = await readFile(note, 'utf8').catch(() => undefined);
  if (recorded !== undefined) return recorded;
  const address = await start();
  await mkdir(folder, { recursive: true });
  await writeFile(note, address);
  return address;
}
