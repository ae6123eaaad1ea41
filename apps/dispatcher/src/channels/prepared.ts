import {
  type CredentialDefinition,
  type KeyOpener,
  localResults,
  readCredential,
  type SendResult,
} from '@tidings/channels';
import type { CredentialReference } from '@tidings/events';
import { openKeyFile, openPlainKey } from '@tidings/runtime';
import { type Credential as Stored, type Credentials, isDeleted, settingsOf } from './credentials/credential-cache.ts';
import { fingerprint } from './credentials/fingerprint.ts';
import type { Throttler } from '../throttle/throttles.ts';

/** Files in a thread of their own, keys within a millisecond. */
export const keyOpener: KeyOpener = { file: openKeyFile, key: openPlainKey };

/** A credential that can be sent with. */
export interface Prepared<Credential, Tokens> {
  readonly settings: Throttler;
  /** What the provider throttles: equal credentials of different applications share it. */
  readonly fingerprint: string;
  readonly credential: Credential;
  readonly tokens: Tokens;
}

export interface PreparedOptions<Credential, Tokens> {
  readonly channel: string;
  readonly stored: Credentials;
  readonly definition: CredentialDefinition<Credential>;
  /** What makes and keeps the tokens of a credential, for all who send with it. */
  readonly tokensOf: (credential: Credential) => Tokens;
}

interface Entry<Credential, Tokens> {
  readonly version: number;
  readonly outcome: Prepared<Credential, Tokens> | SendResult;
}

const isResult = (value: unknown): value is SendResult =>
  typeof value === 'object' && value !== null && 'category' in value;

/** The credentials of a channel: each is opened once per version, for all who send with it. */
export class PreparedCredentials<Credential, Tokens> {
  readonly #options: PreparedOptions<Credential, Tokens>;
  readonly #entries = new Map<string, Entry<Credential, Tokens>>();

  constructor(options: PreparedOptions<Credential, Tokens>) {
    this.#options = options;
  }

  /**
   * A credential in the version that is referred to, or a later one; a result where nothing can be sent with it.
   * @throws Fault `unavailable` where it cannot be read or opened at this moment
   */
  async of(reference: CredentialReference | undefined): Promise<Prepared<Credential, Tokens> | SendResult> {
    if (!reference) return localResults.notConfigured;
    const stored = await this.#options.stored.read(reference);
    if (isDeleted(reference, stored)) return localResults.applicationDeleted;
    const settings = settingsOf(stored);
    const known = this.#entries.get(settings.reference);
    if (known?.version === stored.version) return known.outcome;
    const outcome = await this.#prepare(settings, stored);
    // Others may have opened it meanwhile: all send with what was kept first.
    const since = this.#entries.get(settings.reference);
    if (since && since.version >= stored.version) return since.outcome;
    this.#entries.set(settings.reference, { version: stored.version, outcome });
    return outcome;
  }

  /** The applications whose credentials are in memory. */
  applications(): readonly string[] {
    const prepared = [...this.#entries.keys()].map((reference) => reference.slice(0, reference.indexOf('/')));
    return [...new Set([...this.#options.stored.applications(), ...prepared])];
  }

  forget(application: string): void {
    this.#options.stored.forget(application);
    for (const key of this.#entries.keys()) if (key.startsWith(`${application}/`)) this.#entries.delete(key);
  }

  async #prepare(settings: Throttler, stored: Stored): Promise<Prepared<Credential, Tokens> | SendResult> {
    const { channel, definition, tokensOf } = this.#options;
    const credential = await readCredential(definition, stored.settings, keyOpener);
    if (isResult(credential)) return credential;
    const id = fingerprint(channel, definition.identityOf(credential));
    return { settings, fingerprint: id, credential, tokens: tokensOf(credential) };
  }
}
