import { hash } from 'node:crypto';

/** A visitor of a website: the push package names it to Safari, which repeats it with every request. */
export interface WebsiteVisitor {
  /** The hwid of the device that the page names; undefined for a page that registers devices itself. */
  readonly hwid: string | undefined;
}

/** Safari requires at least 16 characters. */
const VISITOR = 'tidings-visitor.';

/** The token of the package that is the same for all visitors of an application. */
const commonToken = (application: string): string => hash('sha256', application).slice(0, 32);

/**
 * The `authenticationToken` of a push package. It names a device and proves nothing, like the hwid in a request of the device API.
 * @param application its code
 */
export const authenticationTokenOf = (application: string, { hwid }: WebsiteVisitor): string =>
  hwid === undefined ? commonToken(application) : VISITOR + Buffer.from(hwid).toString('base64url');

/** The visitor in an `Authorization` header of Safari; undefined if there is none. */
export function visitorIn(authorization: string | undefined, application: string): WebsiteVisitor | undefined {
  const token = /^ApplePushNotifications\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return undefined;
  if (token === commonToken(application)) return { hwid: undefined };
  if (!token.startsWith(VISITOR)) return undefined;
  return { hwid: Buffer.from(token.slice(VISITOR.length), 'base64url').toString() };
}
