import { Fault } from '@tidings/kernel';
import type { KeyObject } from 'node:crypto';
import { credentialResult, localResults, type SendResult } from './send-results.ts';

export interface PlatformSettings {
  readonly platform: number;
  readonly settings: ReadonlyMap<string, string>;
}

export interface OpenedKeyFile {
  readonly key: string | undefined;
  readonly certificates: readonly string[];
}

export interface KeyRules {
  readonly types?: readonly ('rsa' | 'ec' | 'ed25519')[];
  readonly leastRsaBits?: number;
}

/** Keys come from callers, so the work is bounded. Errors, or their causes, have a `reason`. */
export interface KeyOpener {
  /** @throws Fault `unavailable` if the file cannot be opened now */
  file(bytes: Uint8Array, password: string): Promise<OpenedKeyFile>;
  key(pem: string, rules: KeyRules): KeyObject;
}

export interface CredentialDefinition<Credential> {
  requiredFor(platform: number): readonly string[];
  read(stored: PlatformSettings, open: KeyOpener): Promise<Credential | SendResult>;
  /** Applications with equal identities are throttled together. */
  identityOf(credential: Credential): readonly string[];
  readonly opened?: Readonly<Record<string, (text: string, open: Pick<KeyOpener, 'key'>) => unknown>>;
}

export function headerText(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : undefined;
}

const reasonOf = (error: unknown): unknown => {
  const { reason, cause } = error as { readonly reason?: unknown; readonly cause?: { readonly reason?: unknown } };
  return reason ?? cause?.reason;
};

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

/** An unusable credential is a result (R-A2, R-A3, R-A6). @throws Fault `unavailable` if it cannot be opened now */
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
