import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** A visitor of a website: the push package names it to Safari, which repeats it with every request. */
export interface WebsiteVisitor {
  /** The hwid of the device that the page names; undefined for a page that registers devices itself. */
  readonly hwid: string | undefined;
}

/** A visitor in the token of a request. */
export interface SafariVisitor extends WebsiteVisitor {
  /** Whether the token is signed. Packages of version 0.1.0 have tokens without a signature. */
  readonly isSigned: boolean;
}

/** Safari requires at least 16 characters. */
const VISITOR = 'tidings-visitor.';

/** The key that signs the tokens of packages, from the one that signs statistics hashes: both last for the lifetime of a deployment. */
export const visitorKeyOf = (reportKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', reportKey).update('tidings/website-visitor').digest());

const macOf = (key: KeyObject, application: string, { hwid }: WebsiteVisitor): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([application, hwid ?? null]))
    .digest();

/** The `authenticationToken` of a push package: the device, and a signature for it and the application. @param application its code */
export const authenticationTokenOf = (key: KeyObject, application: string, visitor: WebsiteVisitor): string => {
  const name = visitor.hwid === undefined ? '' : `${Buffer.from(visitor.hwid).toString('base64url')}.`;
  return `${VISITOR}${name}${macOf(key, application, visitor).toString('base64url')}`;
};

const textIn = (base64: string): string => Buffer.from(base64, 'base64url').toString();

function unsignedVisitorIn(token: string, application: string): WebsiteVisitor | undefined {
  if (token === hash('sha256', application).slice(0, 32)) return { hwid: undefined };
  return token.startsWith(VISITOR) ? { hwid: textIn(token.slice(VISITOR.length)) } : undefined;
}

/** The visitor in an `Authorization` header of Safari; undefined if there is none. */
export function visitorIn(
  key: KeyObject,
  authorization: string | undefined,
  application: string,
): SafariVisitor | undefined {
  const [scheme = '', token, ...more] = (authorization ?? '').split(/\s+/);
  if (scheme.toLowerCase() !== 'applepushnotifications' || !token || more.length > 0) return undefined;
  if (token.startsWith(VISITOR)) {
    const parts = token.slice(VISITOR.length).split('.');
    const mac = Buffer.from(parts.at(-1)!, 'base64url');
    const visitor = { hwid: parts.length === 2 ? textIn(parts[0]!) : undefined };
    const expected = macOf(key, application, visitor);
    if (mac.length === expected.length && timingSafeEqual(mac, expected)) return { ...visitor, isSigned: true };
    if (parts.length > 1) return undefined;
  }
  const visitor = unsignedVisitorIn(token, application);
  return visitor && { ...visitor, isSigned: false };
}
