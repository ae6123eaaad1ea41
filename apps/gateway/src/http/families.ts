import { api, type Family, type Method, type Verb } from '@tidings/contract';
import { mailPaths } from '@tidings/channels';
import { envelopes } from '../envelopes/envelopes.ts';
import { json13Envelope } from '../envelopes/json13.ts';
import { pagesEnvelope } from '../envelopes/pages.ts';
import type { Envelope, Reply } from '../envelopes/reply.ts';
import { Fault } from '@tidings/kernel';

const NOT_FOUND = Fault.notFound('Not Found');
const METHOD_STYLE = /^\/json\/[^/]+(\/|$)/;

export type MethodName = keyof typeof api;

export interface NamedMethod {
  readonly name: MethodName;
  readonly method: Method;
}

export const methods: readonly NamedMethod[] = Object.entries<Method>(api).map(([name, method]) => ({
  name: name as MethodName,
  method,
}));

/** GET and DELETE of operators take their parameters from the path and the query. */
export const hasBody = ({ family, verb }: Method): boolean =>
  verb !== 'GET' && !(family === 'admin' && verb === 'DELETE');

const routed = (path: string): string => path.replaceAll(':', '::').replace(/\{(\w+)\}/g, ':$1');

export const patternOf = (route: string): string => route.replace(/(^|[^:]):(\w+)/g, '$1{$2}').replaceAll('::', ':');

export const pathsOf = (family: Family, verb: Verb): string[] =>
  methods
    .filter(({ method }) => method.family === family && method.verb === verb)
    .map(({ method }) => routed(method.path));

const byRoute = new Map(methods.map((named) => [`${named.method.verb} ${named.method.path}`, named]));

export const methodOf = (verb: string, pattern: string): NamedMethod | undefined => byRoute.get(`${verb} ${pattern}`);

export const verbsOf = (pattern: string): string[] =>
  methods.filter(({ method }) => method.path === pattern).map(({ method }) => method.verb);

const byPath = new Map(methods.map(({ method }) => [method.path, envelopes[method.family]]));
const pages = Object.values(mailPaths);

function familyOf(path: string): Envelope {
  if (METHOD_STYLE.test(path)) return json13Envelope;
  if (path.startsWith('/api/v2/audience/')) return envelopes.audience;
  return path.startsWith('/admin/') ? envelopes.admin : envelopes.apiV2;
}

export const envelopeOf = (pattern: string): Envelope =>
  byPath.get(pattern) ?? (pages.some((page) => pattern.startsWith(page)) ? pagesEnvelope : familyOf(pattern));

export const unknownPath = (path: string): Reply =>
  METHOD_STYLE.test(path) ? json13Envelope.unknownMethod() : familyOf(path).fault(NOT_FOUND);
