import { join } from 'node:path';
import { channelNames } from '@tidings/channels';
import { type Closing, freePort, openLog } from '@tidings/runtime';
import { startCluster } from '../cluster/cluster.ts';
import { startPlatformProcess } from '../process/platform-process.ts';

export interface SystemOptions {
  readonly folder: string;
  readonly apps: string;
  readonly cluster: boolean;
  readonly adminToken: string;
}

export interface System {
  readonly url: string;
  readonly form: string;
}

export async function startSystem(
  closing: Closing,
  { folder, apps, cluster, adminToken }: SystemOptions,
  env: Readonly<Record<string, string>>,
): Promise<System> {
  const variables = {
    ...env,
    // Callers give these addresses: token URLs, browsers' endpoints, Windows' channels.
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
