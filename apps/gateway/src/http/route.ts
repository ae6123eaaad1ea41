import type { IncomingMessage } from 'node:http';
import type { Method, Verb } from '@tidings/contract';
import type { Envelope, Reply } from '../envelopes/reply.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';

/** The handler of one path and verb. */
export interface Route {
  readonly verb: Verb;
  /** The path, with `{name}` for one segment. */
  readonly path: string;
  readonly envelope: Envelope;
  /** Undefined if the path is no method of the API. */
  readonly method?: Method;
  serve(
    request: IncomingMessage,
    parameters: Readonly<Record<string, string>>,
    pending: PendingRequest,
  ): Promise<Reply>;
}

/** The routes of one path. */
export interface Endpoint {
  readonly envelope: Envelope;
  readonly allow: string;
  readonly routes: ReadonlyMap<string, Route>;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly expression: RegExp;
  readonly endpoint: Endpoint;
}

const endpointOf = (routes: readonly Route[]): Endpoint => ({
  envelope: routes[0]!.envelope,
  allow: routes.map(({ verb }) => verb).join(', '),
  routes: new Map(routes.map((route) => [route.verb, route])),
  parameters: {},
});

const expressionOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The origin form of a request target: a proxy request carries the absolute form. */
export const originForm = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/');

/** The path of a request target: without its query and one trailing slash (R-ER5). A colon may be escaped, as some clients do. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  const given = query < 0 ? url : url.slice(0, query);
  const path = given.includes('%') ? given.replace(/%3a/gi, ':') : given;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The query parameters of a request target; the last of duplicates wins. */
export function queryOf(url = ''): Readonly<Record<string, string>> {
  const query = url.indexOf('?');
  return query < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(query + 1)));
}

/** Finds the endpoint of a path: names are case-sensitive. */
export class RouteTable {
  readonly #exact = new Map<string, Endpoint>();
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[]) {
    for (const [path, of] of Map.groupBy(routes, (route) => route.path)) {
      if (path.includes('{')) this.#patterns.push({ expression: expressionOf(path), endpoint: endpointOf(of) });
      else this.#exact.set(path, endpointOf(of));
    }
  }

  find(path: string): Endpoint | undefined {
    const exact = this.#exact.get(path);
    if (exact) return exact;
    for (const { expression, endpoint } of this.#patterns) {
      const groups = expression.exec(path)?.groups;
      if (!groups) continue;
      const parameters = Object.entries(groups).map(([name, segment]) => [name, decoded(segment)]);
      return { ...endpoint, parameters: Object.fromEntries(parameters) as Readonly<Record<string, string>> };
    }
    return undefined;
  }
}
