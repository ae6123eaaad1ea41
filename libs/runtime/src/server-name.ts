import { isIP } from 'node:net';

/** Literal addresses have no SNI (RFC 6066 3). */
export const serverNameOf = (host: string): { readonly servername?: string } =>
  isIP(host) === 0 ? { servername: host } : {};
