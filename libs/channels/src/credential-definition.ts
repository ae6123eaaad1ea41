import { Fault } from '@tidings/kernel';
import type { KeyObject } from 'node:crypto';
import { credentialResult, localResults, type SendResult } from './send-results.ts';

/** Decrypted settings of a platform, by the field names of configureApplication. */
export interface PlatformSettings {
  readonly platform: number;
  readonly settings: ReadonlyMap<string, string>;
}

/** The content of a key file as PEM text. */
export interface OpenedKeyFile {
  /** Unencrypted; undefined without one. */
  readonly key: string | undefined;
  /** The key's certificate first. */
  readonly certificates: readonly string[];
}

export interface KeyRules {
  /** @default RSA, and the curves P-256, P-384 and P-521 */
  readonly types?: readonly ('rsa' | 'ec' | 'ed25519')[];
  /** @default 2048 */
  readonly leastRsaBits?: number;
}

/** Opens caller-supplied keys with bounded work. Both methods throw if that fails: the error, or its cause, names the fault in `reason`. */
export interface KeyOpener {
  /** A file in any of the usual formats. Throws a Fault `unavailable` if it cannot be opened now. */
  file(bytes: Uint8Array, password: string): Promise<OpenedKeyFile>;
  /** An unencrypted private key in PEM. */
  key(pem: string, rules?: KeyRules): KeyObject;
}

/** How applications authenticate to a provider. */
export interface CredentialDefinition<Credential> {
  /** The settings of a platform that sending requires. */
  requiredFor(platform: number): readonly string[];
  /** The credential in complete settings, or a result if it is unusable; may throw for an unusable key. */
  read(stored: PlatformSettings, open: KeyOpener): Promise<Credential | SendResult>;
  /** The identity of a credential at the provider: applications with equal identities are throttled together. */
  identityOf(credential: Credential): readonly string[];
  /** Settings that configureApplication opens, with the function that sending reads them by; each throws for an unusable one. */
  readonly opened?: Readonly<Record<string, (text: string, open: Pick<KeyOpener, 'key'>) => unknown>>;
}

/** What a header can carry, without the blanks around it; undefined for other text. */
export function headerText(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : undefined;
}

const reasonOf = (error: unknown): unknown => {
  const { reason, cause } = error as { readonly reason?: unknown; readonly cause?: { readonly reason?: unknown } };
  return reason ?? cause?.reason;
};

/** The fault of the first setting that configureApplication opens in vain; undefined if there is none. */
export function settingFault<Credential>(
  { opened = {} }: CredentialDefinition<Credential>,
  settings: Readonly<Record<string, string>>,
  open: Pick<KeyOpener, 'key'>,
): { readonly field: string; readonly result: SendResult } | undefined {
  for (const [field, read] of Object.entries(opened)) {
    try {
      if (settings[field] !== undefined) read(settings[field], open);
    } catch (error) {
      return { field, result: credentialResult(reasonOf(error)) };
    }
  }
  return undefined;
}

/**
 * The credential in the settings of a platform; a result if it is unusable (R-A2, R-A3, R-A6).
 * @throws Fault `unavailable` if it cannot be opened now
 */
export async function readCredential<Credential>(
  definition: CredentialDefinition<Credential>,
  stored: PlatformSettings,
  open: KeyOpener,
): Promise<Credential | SendResult> {
  const { platform, settings } = stored;
  const isComplete = settings.size > 0 && definition.requiredFor(platform).every((name) => settings.get(name));
  if (!isComplete) return localResults.notConfigured;
  try {
    return await definition.read(stored, open);
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') throw error;
    return credentialResult(reasonOf(error));
  }
}
