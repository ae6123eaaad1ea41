import type { CredentialReference } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Platforms, SealedCredential } from '@tidings/rpc';
import { type MasterKeys, open } from '@tidings/runtime';
import type { Throttler } from '../../throttle/throttles.ts';

export interface Credential {
  readonly application: string;
  readonly platform: number;
  readonly version: number;
  readonly exists: boolean;
  readonly settings: ReadonlyMap<string, string>;
}

export const settingsOf = ({ application, platform, version }: Credential): Throttler => ({
  reference: `${application}/${platform}`,
  version,
});

/** A platform keeps its settings as long as its application exists. */
export const isDeleted = (reference: CredentialReference, { version, exists }: Credential): boolean =>
  !exists || (version === 0 && reference.version > 0);

export class Credentials {
  readonly #platforms: Pick<Platforms, 'getCredential'>;
  readonly #masterKeys: MasterKeys;
  readonly #cached = new Map<string, Credential>();
  readonly #reading = new Map<string, Promise<Credential>>();

  constructor(platforms: Pick<Platforms, 'getCredential'>, masterKeys: MasterKeys) {
    this.#platforms = platforms;
    this.#masterKeys = masterKeys;
  }

  /** @throws Fault `unavailable` if the registry does not answer or lags behind */
  async read({ application, platform, version }: CredentialReference): Promise<Credential> {
    const key = `${application}/${platform}`;
    const cached = this.#cached.get(key);
    if (cached && cached.version >= version) return cached;
    const credential = await this.#latest(application, platform);
    if (credential.version > 0 && credential.version < version)
      throw Fault.unavailable(`credential ${key} is not available yet`);
    return credential;
  }

  async renew(reference: string): Promise<number> {
    const [application, platform] = reference.split('/');
    return (await this.#latest(application!, Number(platform))).version;
  }

  async #latest(application: string, platform: number): Promise<Credential> {
    const key = `${application}/${platform}`;
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = this.#fetch(application, platform).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    const credential = await reading;
    if (credential.exists && credential.version > (this.#cached.get(key)?.version ?? -1))
      this.#cached.set(key, credential);
    return credential;
  }

  applications(): readonly string[] {
    return [...new Set([...this.#cached.values()].map(({ application }) => application))];
  }

  forget(application: string): void {
    for (const [key, cached] of this.#cached) if (cached.application === application) this.#cached.delete(key);
  }

  async #fetch(application: string, platform: number): Promise<Credential> {
    const { version, settings, sealed, exists } = await this.#fetchSealed(application, platform);
    const opened = Object.entries(sealed).map(([field, bytes]): [string, string] => [
      field,
      open(this.#masterKeys, { application, field }, bytes).toString('utf8'),
    ]);
    return { application, platform, version, exists, settings: new Map([...Object.entries(settings), ...opened]) };
  }

  /** Every failure of the registry is transient: acting without its answer would lose pushes. */
  async #fetchSealed(application: string, platform: number): Promise<SealedCredential> {
    try {
      return await this.#platforms.getCredential({ application, platform });
    } catch (error) {
      throw Fault.unavailable(`credential ${application}/${platform} cannot be read`, error);
    }
  }
}
