import { isIP } from 'node:net';

/**
 * The name that a TLS client asks for (SNI), among the options of `tls.connect`. A literal address is none (RFC 6066 3): the certificate is then
 * compared with the address.
 */
export const serverNameOf = (host: string): { readonly servername?: string } =>
  isIP(host) === 0 ? { servername: host } : {};
