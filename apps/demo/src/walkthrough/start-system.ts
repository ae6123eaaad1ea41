import { join } from 'node:path';
import { channelNames } from '@tidings/channels';
import { type Closing, freePort, openLog } from '@tidings/runtime';
import { startCluster } from '../cluster/cluster.ts';
import { startPlatformProcess } from '../process/platform-process.ts';

/** How a demo runs. */
export interface SystemOptions {
  /** An empty folder for data and logs. */
  readonly folder: string;
  /** The folder of the built services. */
  readonly apps: string;
  /** Runs every service as a separate process on Kafka, in place of all in one process. */
  readonly cluster: boolean;
  readonly adminToken: string;
}

/** A running system. */
export interface System {
  readonly url: string;
  /** Its processes in words; empty for a single one. */
  readonly form: string;
}

/** Starts Tidings for a demo. @param env variables of its processes, the addresses of providers among them */
export async function startSystem(
  closing: Closing,
  { folder, apps, cluster, adminToken }: SystemOptions,
  env: Readonly<Record<string, string>>,
): Promise<System> {
  const variables = {
    ...env,
    // Token URLs, endpoints of browsers and channels of Windows are addresses given by callers.
    TIDINGS_ALLOW_PRIVATE: '127.0.0.0/8',
    TIDINGS_ADMIN_TOKEN: adminToken,
  };
  const platform = cluster
    ? await startCluster({
        apps,
        folder,
        env: variables,
        dispatchers: [channelNames()],
        adminToken,
        log: openLog('error'),
      })
    : await startPlatformProcess({
        entry: join(apps, 'platform/dist/main.js'),
        dataFolder: folder,
        port: await freePort(),
        env: variables,
      });
  closing.add('platform', platform, (opened) => opened.stop());
  const form = 'members' in platform ? ` in ${platform.members.length} processes on Kafka` : '';
  return { url: platform.url, form };
}
