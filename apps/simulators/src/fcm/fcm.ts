import { pushSimulator, type Reply } from '../push-simulator.ts';
import { parseSpecialToken } from '../special-tokens.ts';
import { bodyOf, FCM_ERRORS, type FcmError, type FcmErrorName } from './errors.ts';
import { readMessage } from './fcm-message.ts';

const PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const SCOPES = new Set([
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
]);
const jsonHeaders = ['content-type', 'application/json; charset=UTF-8'];

function replyOf(error: FcmError): Reply {
  const headers = error.status === '' ? ['content-type', 'text/html; charset=UTF-8'] : [...jsonHeaders];
  if (error.code === 401) headers.push('www-authenticate', 'Bearer realm="https://accounts.google.com/"');
  return { status: error.code, headers, body: bodyOf(error) };
}

function cachedProjects(): (path: string) => string {
  const projects = new Map<string, string>();
  return (path) => {
    const cached = projects.get(path);
    if (cached !== undefined) return cached;
    const project = PATH.exec(path)?.[1] ?? '';
    if (projects.size < 1000) projects.set(path, project);
    return project;
  };
}

export const fcm = pushSimulator<FcmErrorName>({
  name: 'fcm',
  http1: true,
  idOf: (row) => `0:${1_700_000_000_000_000 + row}%7031b2e6f9fd7ecd`,
  reasons: FCM_ERRORS,
  refusals: {
    dead: 'UNREGISTERED',
    badToken: 'INVALID_TOKEN',
    throttled: 'QUOTA_EXCEEDED',
    unavailable: 'UNAVAILABLE',
    serverError: 'INTERNAL',
    payloadRefused: 'INVALID_ARGUMENT',
    wrongTopic: 'SENDER_ID_MISMATCH',
    expiredAuth: 'ACCESS_TOKEN_EXPIRED',
  },
  retryAfter: [429, 503],
  malformed: '{\n  "name": "projects/',
  open({ keys, accessTokens }) {
    const projectOf = cachedProjects();
    const authFlaw = (authorization: string, project: string): FcmErrorName | undefined => {
      const token = accessTokens.findBearer(authorization);
      if (token === undefined) return 'UNAUTHENTICATED';
      if (accessTokens.isExpired(token)) return 'ACCESS_TOKEN_EXPIRED';
      if (!token.scopes.some((scope) => SCOPES.has(scope))) return 'SCOPE_INSUFFICIENT';
      const own = keys.google(token.clientEmail)?.projectId;
      return own === undefined || own === project ? undefined : 'PERMISSION_DENIED';
    };
    return {
      receive({ method, path, headers, body }) {
        const { push, error } = readMessage(body);
        const [project, credential] = [projectOf(path), headers.authorization ?? ''];
        const isFound = project !== '' && method === 'POST';
        return {
          push,
          credential,
          flaw: isFound
            ? (authFlaw(credential, project) ?? (error && { reason: error.status, ...replyOf(error) }))
            : 'NOT_FOUND',
          special: parseSpecialToken(push.token),
        };
      },
      accepted: (_push, id, { path }) => ({
        status: 200,
        headers: jsonHeaders,
        body: `{\n  "name": "projects/${projectOf(path)}/messages/${id}"\n}\n`,
      }),
      refused: (name) => replyOf(FCM_ERRORS[name]),
    };
  },
});
