import { every } from '@tidings/coordination';
import { Fault } from '@tidings/kernel';
import { fileVersion, type GeoipDatabase, type GeoipLocation, type Logger, readGeoip } from '@tidings/runtime';
import { gaugeIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

const CHECK_EVERY_MS = 5_000;

export interface Geoip {
  find(address: string): GeoipLocation | undefined;
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export interface GeoipDeps {
  readonly file: string;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly read?: typeof readGeoip;
}

/** Checked every 5 s. While the file is missing or broken, the last database stays in use. */
export async function openGeoip({ file, log, metrics, read = readGeoip }: GeoipDeps): Promise<Geoip> {
  const built = gaugeIn(metrics, {
    name: 'tidings_geoip_built_timestamp_seconds',
    help: 'When the geo-IP database in use was built; 0 = none is in use',
  });
  const failed = gaugeIn(metrics, {
    name: 'tidings_geoip_file_failed',
    help: '1 = the file of the geo-IP database cannot be used as it is now',
  });
  built.set(0);
  let database: GeoipDatabase | undefined;
  let seen = '';
  const use = async (): Promise<void> => {
    database = await read(file);
    built.set(database.builtAt / 1000);
    failed.set(0);
    log.info({ file, built: new Date(database.builtAt).toISOString() }, 'geo-IP database read');
  };
  const refuse = (error: unknown): void => {
    failed.set(1);
    log.error({ file, reason: (error as Error).message, kept: database !== undefined }, 'geo-IP database not usable');
  };
  const refresh = async (): Promise<void> => {
    let version = '';
    try {
      version = await fileVersion(file);
      if (version === seen) return;
      await use();
    } catch (error) {
      // Broken content stays broken until the version changes; a file system's fault may end.
      const found = error instanceof Fault ? version : ((error as NodeJS.ErrnoException).code ?? 'unknown');
      if (found !== seen) refuse(error);
      seen = found;
      return;
    }
    seen = version;
  };
  const periodic = every(CHECK_EVERY_MS, refresh, { name: 'geo-IP database', log });
  await periodic.now();
  return {
    find: (address) => database?.find(address),
    refresh: () => periodic.now(),
    stop: () => periodic.stop(),
  };
}
