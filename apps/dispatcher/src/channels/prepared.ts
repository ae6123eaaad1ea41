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

export const keyOpener: KeyOpener = { file: openKeyFile, key: openPlainKey };

export interface Prepared<Credential, Tokens> {
  readonly settings: Throttler;
  readonly fingerprint: string;
  readonly credential: Credential;
  readonly tokens: Tokens;
}

export interface PreparedOptions<Credential, Tokens> {
  readonly channel: string;
  readonly stored: Credentials;
  readonly definition: CredentialDefinition<Credential>;
  readonly tokensOf: (credential: Credential) => Tokens;
  readonly deployment?: Credential | undefined;
}

interface Entry<Credential, Tokens> {
  readonly version: number;
  readonly outcome: Prepared<Credential, Tokens> | SendResult;
}

const isResult = (value: unknown): value is SendResult =>
  typeof value === 'object' && value !== null && 'category' in value;

export class PreparedCredentials<Credential, Tokens> {
  readonly #options: PreparedOptions<Credential, Tokens>;
  readonly #entries = new Map<string, Entry<Credential, Tokens>>();

  constructor(options: PreparedOptions<Credential, Tokens>) {
    this.#options = options;
  }

  async of(reference: CredentialReference | undefined): Promise<Prepared<Credential, Tokens> | SendResult> {
    if (!reference) return localResults.notConfigured;
    const stored = await this.#options.stored.read(reference);
    if (isDeleted(reference, stored)) return localResults.applicationDeleted;
    const settings = settingsOf(stored);
    const existing = this.#entries.get(settings.reference);
    if (existing?.version === stored.version) return existing.outcome;
    const outcome = await this.#prepare(settings, stored);
    // A concurrent call may have opened it: all use the first one cached.
    const since = this.#entries.get(settings.reference);
    if (since && since.version >= stored.version) return since.outcome;
    this.#entries.set(settings.reference, { version: stored.version, outcome });
    return outcome;
  }

  usable(): readonly Prepared<Credential, Tokens>[] {
    return [...this.#entries.values()].flatMap(({ outcome }) => ('category' in outcome ? [] : [outcome]));
  }

  applications(): readonly string[] {
    const prepared = [...this.#entries.keys()].map((reference) => reference.slice(0, reference.indexOf('/')));
    return [...new Set([...this.#options.stored.applications(), ...prepared])];
  }

  renew(reference: string): Promise<number> {
    return this.#options.stored.renew(reference);
  }

  forget(application: string): void {
    this.#options.stored.forget(application);
    for (const key of this.#entries.keys()) if (key.startsWith(`${application}/`)) this.#entries.delete(key);
  }

  async #prepare(settings: Throttler, stored: Stored): Promise<Prepared<Credential, Tokens> | SendResult> {
    const { channel, definition, tokensOf, deployment } = this.#options;
    const isServed = stored.version === 0 && deployment !== undefined;
    const credential = isServed ? deployment : await readCredential(definition, stored, keyOpener);
    if (isResult(credential)) return credential;
    const id = fingerprint(channel, definition.identityOf(credential));
    return { settings, fingerprint: id, credential, tokens: tokensOf(credential) };
  }
}
