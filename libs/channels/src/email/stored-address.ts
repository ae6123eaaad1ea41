import { domainToUnicode } from 'node:url';
import { asciiAddress } from './email-credential.ts';

const NON_ASCII = /[\u0080-\uffff]/;

/** An address as it is stored and compared: in lower case (R-E1), an international domain in ASCII (R-E2). ASCII characters stay as they are. */
export function storedAddress(address: string): string {
  const lower = address.toLowerCase();
  return NON_ASCII.test(lower) ? asciiAddress(lower) : lower;
}

/**
 * The texts under which an address may be stored: first the {@link storedAddress}, and for an international domain also those of version 0.1, which
 * kept the domain as given.
 */
export function addressTexts(address: string): readonly string[] {
  const text = storedAddress(address);
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  const unicode = domain.includes('xn--') ? domainToUnicode(domain) : '';
  const former = unicode === '' ? [] : [`${text.slice(0, at)}${unicode}`];
  return [...new Set([text, address.toLowerCase(), ...former])];
}
