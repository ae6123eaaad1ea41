import type { CredentialReference } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import type { Platforms, SealedCredential } from '@tidings/rpc';
import { type MasterKeys, open } from '@tidings/runtime';
import type { Throttler } from '../../throttle/throttles.ts';

/** The decrypted credential of a platform. */
export interface Credential {
  readonly application: string;
  readonly platform: number;
  /** 0 if the platform was never configured. */
  readonly version: number;
  /** Whether its application exists. */
  readonly exists: boolean;
  /** By the field names of configureApplication. */
  readonly settings: ReadonlyMap<string, string>;
}

/** Identifies the settings that a credential was made of. */
export const settingsOf = ({ application, platform, version }: Credential): Throttler => ({
  reference: `${application}/${platform}`,
  version,
});

/** Whether the credential no longer exists: a platform keeps its settings as long as its application exists. */
export const isDeleted = (reference: CredentialReference, { version, exists }: Credential): boolean =>
  !exists || (version === 0 && reference.version > 0);

/** Credentials, read once per version or when renewed, and decrypted in memory only. */
export class Credentials {
  readonly #platforms: Pick<Platforms, 'getCredential'>;
  readonly #masterKeys: MasterKeys;
  readonly #known = new Map<string, Credential>();
  readonly #reading = new Map<string, Promise<Credential>>();

  constructor(platforms: Pick<Platforms, 'getCredential'>, masterKeys: MasterKeys) {
    this.#platforms = platforms;
    this.#masterKeys = masterKeys;
  }

  /**
   * The credential in the given version, or a later one, or version 0 if it no longer exists. Throws a Fault `unavailable` when the registry does not
   * answer or does not have that version yet.
   */
  async read({ application, platform, version }: CredentialReference): Promise<Credential> {
    const key = `${application}/${platform}`;
    const known = this.#known.get(key);
    if (known && known.version >= version) return known;
    const credential = await this.#latest(application, platform);
    if (credential.version > 0 && credential.version < version)
      throw Fault.unavailable(`credential ${key} is not available yet`);
    return credential;
  }

  /**
   * Reads a credential again, because its platform may have been configured anew. Resolves to its version, 0 if it no longer exists. Throws a Fault
   * `unavailable` when the registry does not answer.
   * @param reference `<application>/<platform>`
   */
  async renew(reference: string): Promise<number> {
    const [application, platform] = reference.split('/');
    return (await this.#latest(application!, Number(platform))).version;
  }

  /** The credential as the registry has it; concurrent callers share a read. */
  async #latest(application: string, platform: number): Promise<Credential> {
    const key = `${application}/${platform}`;
    let reading = this.#reading.get(key);
    if (!reading) {
      reading = this.#fetch(application, platform).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    const credential = await reading;
    if (credential.exists && credential.version > (this.#known.get(key)?.version ?? -1))
      this.#known.set(key, credential);
    return credential;
  }

  /** The applications with cached credentials. */
  applications(): readonly string[] {
    return [...new Set([...this.#known.values()].map(({ application }) => application))];
  }

  forget(application: string): void {
    for (const [key, known] of this.#known) if (known.application === application) this.#known.delete(key);
  }

  async #fetch(application: string, platform: number): Promise<Credential> {
    const { version, settings, sealed, exists } = await this.#ask(application, platform);
    const opened = Object.entries(sealed).map(([field, bytes]): [string, string] => [
      field,
      open(this.#masterKeys, { application, field }, bytes).toString('utf8'),
    ]);
    return { application, platform, version, exists, settings: new Map([...Object.entries(settings), ...opened]) };
  }

  /** Every failure of the registry is transient: acting without its answer would lose pushes. */
  async #ask(application: string, platform: number): Promise<SealedCredential> {
    try {
      return await this.#platforms.getCredential({ application, platform });
    } catch (error) {
      throw Fault.unavailable(`credential ${application}/${platform} cannot be read`, error);
    }
  }
}
