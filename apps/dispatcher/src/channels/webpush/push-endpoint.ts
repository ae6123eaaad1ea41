/** A push service, and the path of a subscription at it. */
export interface PushEndpoint {
  readonly origin: string;
  readonly path: string;
}

/** Visible ASCII without a fragment: what a path of HTTP may contain as it is. */
const PLAIN_PATH = /^\/[!"$-\[\]-~]*$/;

/** Origins as they begin endpoints, each parsed once, bounded. */
const ORIGINS_MAX = 4_096;
const origins = new Map<string, string>();

function originOf(prefix: string): string {
  const known = origins.get(prefix);
  if (known !== undefined) return known;
  const origin = URL.parse(prefix)?.origin ?? '';
  if (origins.size >= ORIGINS_MAX) origins.clear();
  origins.set(prefix, origin);
  return origin;
}

/** Reads the endpoint of a subscription; undefined if it is no http(s) URL. Usual ones are not parsed as URLs, which takes ten times as long. */
export function pushEndpointOf(endpoint: string): PushEndpoint | undefined {
  const slash = endpoint.indexOf('/', 'https://'.length);
  const path = slash < 0 ? '' : endpoint.slice(slash);
  if (/^https?:\/\/[^/?#\\]+\//i.test(endpoint) && PLAIN_PATH.test(path)) {
    const origin = originOf(endpoint.slice(0, slash));
    if (origin !== '') return { origin, path };
  }
  const url = URL.parse(endpoint);
  return url && /^https?:$/.test(url.protocol) ? { origin: url.origin, path: url.pathname + url.search } : undefined;
}
