import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface WebsiteVisitor {
  readonly hwid: string | undefined;
}

export interface SafariVisitor extends WebsiteVisitor {
  readonly isSigned: boolean;
}

/** Safari requires at least 16 characters. */
const VISITOR = 'tidings-visitor.';

export const visitorKeyOf = (reportKey: KeyObject): KeyObject =>
  createSecretKey(createHmac('sha256', reportKey).update('tidings/website-visitor').digest());

const macOf = (key: KeyObject, application: string, { hwid }: WebsiteVisitor): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([application, hwid ?? null]))
    .digest();

export const authenticationTokenOf = (key: KeyObject, application: string, visitor: WebsiteVisitor): string => {
  const name = visitor.hwid === undefined ? '' : `${Buffer.from(visitor.hwid).toString('base64url')}.`;
  return `${VISITOR}${name}${macOf(key, application, visitor).toString('base64url')}`;
};

const textIn = (base64: string): string => Buffer.from(base64, 'base64url').toString();

function unsignedVisitorIn(token: string, application: string): WebsiteVisitor | undefined {
  if (token === hash('sha256', application).slice(0, 32)) return { hwid: undefined };
  return token.startsWith(VISITOR) ? { hwid: textIn(token.slice(VISITOR.length)) } : undefined;
}

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
