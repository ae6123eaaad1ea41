import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { channelNames } from '@tidings/channels';
import { adminTokenOf, greeting } from '@tidings/platform';
import { closeOnSignal, endOnCrash, giveUp, openDataFolder, openLog, readEnv } from '@tidings/runtime';
import { startCluster } from './cluster/cluster.ts';
import { clusterGreeting } from './cluster/cluster-greeting.ts';
import { smallGroups } from './cluster/service-programs.ts';

const MOST_REPLICAS = 8;

const { values } = parseArgs({
  options: { replicas: { type: 'string', default: '1' }, small: { type: 'boolean', default: false } },
});
const replicas = Number(values.replicas);
if (!Number.isInteger(replicas) || replicas < 1 || replicas > MOST_REPLICAS) {
  process.stderr.write(`usage: npm run cluster -- [--replicas 1..${MOST_REPLICAS}] [--small]\n`);
  process.exit(2);
}

try {
  const configuration = readEnv();
  const log = openLog(configuration.logLevel);
  endOnCrash(log);
  // Separate from the embedded mode's data, which has a log of its own.
  const dataFolder = await openDataFolder(join(configuration.dataFolder, 'cluster'));
  const adminToken = await adminTokenOf(dataFolder, configuration.adminToken);
  const { smtpListenPort, mailBounceDomain } = configuration;
  const opening = startCluster({
    apps: fileURLToPath(new URL('../../', import.meta.url)),
    folder: dataFolder,
    env: smtpListenPort === undefined ? {} : { MAIL_BOUNCE_DOMAIN: mailBounceDomain! },
    host: configuration.host,
    publicUrl: configuration.publicUrl,
    mailPort: smtpListenPort,
    eventsPort: configuration.eventsPort,
    adminToken: adminToken.secret,
    masterKey: configuration.masterKey,
    previousMasterKey: configuration.previousMasterKey,
    port: configuration.port,
    dispatchers: [channelNames()],
    groups: values.small ? smallGroups() : undefined,
    replicas: () => replicas,
    mongoUrl: configuration.mongoUrl,
    kafkaBrokers: configuration.kafkaBrokers.join(',') || undefined,
    log,
  });
  closeOnSignal({ log, timeoutMs: 60_000, close: async () => (await opening).stop() });
  const cluster = await opening;
  process.stderr.write(clusterGreeting(cluster));
  process.stderr.write(greeting({ url: cluster.url, adminToken }, { ...configuration, dataFolder }));
} catch (error) {
  giveUp('The cluster', error);
}
