import type { IncomingMessage } from 'node:http';

/** Names the origin, because browsers send credentials along (R-ER6). */
export const crossOriginHeaders = (origin: string): readonly (readonly [string, string])[] => [
  ['access-control-allow-origin', origin],
  ['access-control-allow-credentials', 'true'],
  ['vary', 'Origin'],
];

const ALWAYS_ALLOWED = ['Authorization', 'Content-Type'];

export function preflightHeaders(request: IncomingMessage): readonly (readonly [string, string])[] {
  const allowed = new Set(ALWAYS_ALLOWED.map((name) => name.toLowerCase()));
  const requested = String(request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !allowed.has(name.toLowerCase()));
  return [
    ['access-control-allow-methods', 'GET, POST, OPTIONS'],
    ['access-control-allow-headers', [...ALWAYS_ALLOWED, ...requested].join(', ')],
    ['access-control-max-age', '86400'],
  ];
}
