import { domainToASCII } from 'node:url';
import { text, whole } from '../values.ts';

/** Domains that hand out throw-away addresses; a listed one covers its subdomains (R-E4). */
const disposableDomains: ReadonlySet<string> = new Set([
  '10minutemail.com',
  'dispostable.com',
  'fakeinbox.com',
  'getnada.com',
  'guerrillamail.com',
  'maildrop.cc',
  'mailinator.com',
  'mintemail.com',
  'sharklasers.com',
  'temp-mail.org',
  'throwawaymail.com',
  'trashmail.com',
  'yopmail.com',
]);

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

const isDomain = (domain: string): boolean => {
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!);
};

const isDisposable = (domain: string): boolean => {
  const labels = domain.toLowerCase().split('.');
  return labels.some((_, first) => disposableDomains.has(labels.slice(first).join('.')));
};

/** What is wrong with the form of an address, in the words and the order of R-E2; undefined where nothing is. */
function formFault(address: string): string | undefined {
  if (address === '') return 'Email address is empty';
  if (address.length > 254 || /[\s\u0000-\u001f\u007f-\u009f]/.test(address)) {
    return 'Email address is invalid or has invalid semantic';
  }
  const parts = address.split('@');
  if (parts.length !== 2) return 'Email address has invalid count of parts';
  const [local, domain] = parts as [string, string];
  if (local.length > 64 || !LOCAL_PART.test(local)) return 'Email address has invalid local part';
  const ascii = domainToASCII(domain);
  return isDomain(ascii) ? undefined : 'Email address has invalid domain part';
}

/** The same, and disposable domains are wrong too. */
export function emailFault(address: string): string | undefined {
  const fault = formFault(address);
  if (fault !== undefined) return fault;
  const isThrownAway = isDisposable(domainToASCII(address.slice(address.indexOf('@') + 1)));
  return isThrownAway ? 'Email address belongs to a disposable domain' : undefined;
}

/** An address that mail is sent from or answered to: only its form is checked (R-E2). */
export const senderAddress = text.superRefine((address, context) => {
  const fault = formFault(address);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** An address of mail, in the lower case that addresses are stored and compared in (R-E1, R-E2). */
export const emailAddress = text
  .check((context) => {
    const fault = emailFault(context.value);
    if (fault === undefined) return;
    const { error: message, params } = whole(fault);
    context.issues.push({ code: 'custom', message, params, input: context.value });
  })
  .transform((address) => address.toLowerCase());
