import { Fault } from '@tidings/kernel';
import type { KeyObject } from 'node:crypto';
import { localResults, type SendResult } from './send-results.ts';

/** Settings of a platform in clear, by the names that configureApplication has for them. */
export type CredentialSettings = ReadonlyMap<string, string>;

/** What a file of keys holds, as PEM text. */
export interface OpenedKeyFile {
  /** Not encrypted; undefined without one. */
  readonly key: string | undefined;
  /** That of the key first. */
  readonly certificates: readonly string[];
}

/** Opens what callers have sent in, with a bound on the work that a file may cause. Both throw where it cannot be opened. */
export interface KeyOpener {
  /** A file in any of the usual formats. Throws a Fault `unavailable` where it cannot be opened at this moment. */
  file(bytes: Uint8Array, password: string): Promise<OpenedKeyFile>;
  /** A private key in PEM that is not encrypted. */
  key(pem: string): KeyObject;
}

/** How applications prove themselves to a provider. */
export interface CredentialDefinition<Credential> {
  /** Settings without which nothing can be sent. */
  readonly required: readonly string[];
  /** The credential in complete settings, or a result where nothing can be sent with it; may throw where a key cannot be used. */
  read(settings: CredentialSettings, open: KeyOpener): Promise<Credential | SendResult>;
  /** What the provider tells a credential by: applications whose credentials are equal in it are throttled together. */
  identityOf(credential: Credential): readonly string[];
}

/**
 * The credential in the settings of a platform; a result where nothing can be sent with it (R-A2, R-A3, R-A6).
 * @throws Fault `unavailable` where it cannot be opened at this moment
 */
export async function readCredential<Credential>(
  definition: CredentialDefinition<Credential>,
  settings: CredentialSettings,
  open: KeyOpener,
): Promise<Credential | SendResult> {
  if (definition.required.some((name) => !settings.get(name))) return localResults.notConfigured;
  try {
    return await definition.read(settings, open);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') throw error;
    return localResults.unusableKey;
  }
}
