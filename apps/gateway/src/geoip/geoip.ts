import { every } from '@tidings/coordination';
import { fileVersion, type GeoipDatabase, type GeoipPlace, type Logger, readGeoip } from '@tidings/runtime';
import { gaugeIn } from '@tidings/telemetry';
import type { Registry } from 'prom-client';

const CHECK_EVERY_MS = 5_000;

/** The places of addresses by the operator's database, which is read again when its file changes. */
export interface Geoip {
  /** The place of an address; undefined if it is unknown. The address is not kept. */
  find(address: string): GeoipPlace | undefined;
  /** Reads the file now if it has changed. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

export interface GeoipDeps {
  /** The path of the database. */
  readonly file: string;
  readonly log: Logger;
  readonly metrics: Registry;
}

/**
 * Reads a database and follows its file, checked every 5 s. While a file is missing or broken, the database before stays in use, or there is none: a log
 * line and the metrics tell, and registrations are served.
 */
export async function openGeoip({ file, log, metrics }: GeoipDeps): Promise<Geoip> {
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
  /** The version that was tried last, or the reason why there is none. */
  let seen = '';
  const use = async (): Promise<void> => {
    database = await readGeoip(file);
    built.set(database.builtAt / 1000);
    failed.set(0);
    log.info({ file, built: new Date(database.builtAt).toISOString() }, 'geo-IP database read');
  };
  const refuse = (error: unknown): void => {
    failed.set(1);
    log.error({ file, reason: (error as Error).message, kept: database !== undefined }, 'geo-IP database not usable');
  };
  const refresh = async (): Promise<void> => {
    try {
      const version = await fileVersion(file);
      if (version === seen) return;
      seen = version;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code !== seen) refuse(error);
      seen = code;
      return;
    }
    await use().catch(refuse);
  };
  const periodic = every(CHECK_EVERY_MS, refresh, { name: 'geo-IP database', log });
  await periodic.now();
  return {
    find: (address) => database?.find(address),
    refresh: () => periodic.now(),
    stop: () => periodic.stop(),
  };
}
