import { domainToASCII } from 'node:url';
import { text, whole } from '../values.ts';

export const EMAIL_ONLY = 'Only email platform is allowed for email-only subscription';

const MAX_ADDRESS = 254;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** A conversion would treat some of these as URL syntax and drop them. */
const FOREIGN = /[^A-Za-z0-9.\u0080-\u{10ffff}-]/u;

const isDomain = (domain: string): boolean => {
  if (FOREIGN.test(domain)) return false;
  const labels = domainToASCII(domain).split('.');
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!);
};

/** In the words and the order of R-E2. */
export function emailFault(address: string): string | undefined {
  if (address === '') return 'Email address is empty';
  if (address.length > MAX_ADDRESS || /[\s\u0000-\u001f\u007f-\u009f]/.test(address)) {
    return 'Email address is invalid or has invalid semantic';
  }
  const parts = address.split('@');
  if (parts.length !== 2) return 'Email address has invalid count of parts';
  const [local, domain] = parts as [string, string];
  if (local.length > 64 || !LOCAL_PART.test(local)) return 'Email address has invalid local part';
  return isDomain(domain) ? undefined : 'Email address has invalid domain part';
}

/** A listed domain covers its subdomains (R-E4). */
export function disposableFault(address: string, listed: ReadonlySet<string>): string | undefined {
  const labels = domainToASCII(address.slice(address.indexOf('@') + 1)).split('.');
  const isListed = labels.some((_, first) => listed.has(labels.slice(first).join('.')));
  return isListed ? 'Email address belongs to a disposable domain' : undefined;
}

export const senderAddress = text.superRefine((address, context) => {
  const fault = emailFault(address);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** In lower case as stored; only its form is checked (R-E1, R-E2). */
export const emailAddress = text
  .check((context) => {
    const fault = emailFault(context.value);
    if (fault === undefined) return;
    const { error: message, params } = whole(fault);
    context.issues.push({ code: 'custom', message, params, input: context.value });
  })
  .meta({ maxLength: MAX_ADDRESS })
  .transform((address) => address.toLowerCase())
  .describe('E-mail address, case-insensitive.');
