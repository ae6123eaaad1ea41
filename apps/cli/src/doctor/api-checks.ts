import { credentialFault } from '@tidings/channels';
import { type ApiClient, Refusal, type ReplyOf } from '@tidings/client';
import { type CertificateFault, certificateFault } from '@tidings/runtime';
import { type Readiness, readinessOf } from '../readiness.ts';
import { type Finding, problem, warning } from './finding.ts';

/** The `Date` header has whole seconds. */
const SKEW_MS = 5_000;

const LOOPBACK = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

export const UNREACHABLE = 'The gateway cannot be reached';

const certificateRemedies: Readonly<Record<CertificateFault, string>> = {
  untrusted: 'Name a file with the CA of its certificate, in PEM, by NODE_EXTRA_CA_CERTS.',
  expired: 'Renew the certificate of the gateway, or of the proxy before it.',
  host: 'Give an address whose host the certificate names by --url or TIDINGS_URL.',
};

function unreachable(url: string, error: unknown): Finding {
  const fault = certificateFault(String((error as NodeJS.ErrnoException).code));
  return problem(
    `${UNREACHABLE} at ${url}: ${failureOf(error)}.`,
    fault === undefined
      ? 'Start Tidings, or give the address of its gateway by --url or TIDINGS_URL. In Kubernetes, `kubectl port-forward` leads to it.'
      : certificateRemedies[fault],
  );
}

export const QUARANTINE_REMEDY =
  'Commands on these documents are refused. The log of the owner says why, once; they are tried every minute, and at once after MongoDB was away or full. Those of a newer version wait for it.';

const noteRemedies: Readonly<Record<string, string>> = {
  disk: 'Make room on the volume of MongoDB, or set TIDINGS_MIN_FREE_MB of the gateway: MongoDB ends when the volume is full.',
  quarantine: QUARANTINE_REMEDY,
};

export async function checkReadiness(client: ApiClient, url: string): Promise<Finding[]> {
  let readiness: Readiness;
  try {
    readiness = await readinessOf(client);
  } catch (error) {
    return [unreachable(url, error)];
  }
  const { isReady, status, waitingFor, notes } = readiness;
  const noteFindings = Object.entries(notes).map(([name, text]) =>
    problem(`The gateway says: ${text}.`, noteRemedies[name] ?? 'The log of its process says more.'),
  );
  if (isReady) return noteFindings;
  return [
    ...noteFindings,
    problem(
      `The gateway is not ready${waitingFor.length > 0 ? `: it waits for ${waitingFor.join(', ')}` : ` (HTTP ${status})`}.`,
      'The log of the process that it waits for says why it does not start; `/readyz` of every process names what it waits for.',
    ),
  ];
}

export async function checkClock(client: ApiClient): Promise<Finding[]> {
  const { headers } = await client.http.send('/livez');
  const theirs = Date.parse(headers.date ?? '');
  if (Number.isNaN(theirs) || Math.abs(theirs - Date.now()) < SKEW_MS) return [];
  return [skewed('the gateway', theirs - Date.now())];
}

export const skewed = (of: string, aheadMs: number): Finding =>
  problem(
    `The clock of ${of} is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine.`,
    'Synchronize both by NTP: schedules, tokens of providers and windows of statistics depend on the time.',
  );

export async function checkPublicUrl(client: ApiClient): Promise<Finding[]> {
  const { body } = await client.http.send('/openapi.json');
  const url = URL.parse((body as { servers?: { url: string }[] }).servers?.[0]?.url ?? '');
  if (!url) return [];
  if (LOOPBACK.test(url.hostname)) {
    return [
      warning(
        `Links in messages lead to ${url.origin}, which no other machine reaches.`,
        'Set PUBLIC_URL to the address at which the internet reaches the gateway: short links, unsubscribe links, exports and images of opens need it.',
      ),
    ];
  }
  if (url.protocol === 'https:') return [];
  return [
    warning(
      `Links in messages lead to ${url.origin}, which is not encrypted.`,
      'Put the gateway behind TLS, and set PUBLIC_URL to the https:// address: browsers refuse push packages and images over http://.',
    ),
  ];
}

export async function checkAdministrator(client: ApiClient): Promise<Finding[]> {
  const reply = await client.reply('listTokens');
  if (reply.status === 200) return [];
  return [
    problem(
      reply.status === 401
        ? 'The administrator token is refused.'
        : `The administrator token cannot be checked (HTTP ${reply.status}).`,
      'It is TIDINGS_ADMIN_TOKEN of the gateway; without that, the one that was printed at the first start, which is not shown again. Setting TIDINGS_ADMIN_TOKEN and restarting replaces it.',
    ),
  ];
}

type Provider = ReplyOf<'listProviders'>['providers'][number];

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^certificate_expired/, 'Renew the certificate, and give it to configureApplication.'],
  [/^certificate/, 'Add the authority of the certificate by TIDINGS_EXTRA_CA.'],
  [/^dns/, 'The name of the provider cannot be resolved: check the DNS of the dispatcher, and its NetworkPolicy.'],
  [
    /^proxy/,
    'The proxy of the network refuses or does not answer: check HTTPS_PROXY and its credentials, the rules of the proxy, and NO_PROXY.',
  ],
  [/^(connection|connect|timeout)/, 'Open the firewall from the dispatcher to the provider, or set HTTPS_PROXY.'],
];

const remedyOf = (name: string): string =>
  credentialFault(name)?.remedy ??
  remedies.find(([pattern]) => pattern.test(name))?.[1] ??
  'The log of the dispatcher has the whole error.';

function providerFindings({
  credential,
  channel,
  applications,
  state,
  last_error: error,
  ...provider
}: Provider): Finding[] {
  const who = `${channel} of ${applications.join(', ') || credential}`;
  if (state === 'throttled') {
    return [
      warning(
        `The provider throttles ${who} until ${provider.throttled_until} (${provider.throttled_because}).`,
        `Wait: pushes are deferred, not lost. \`DELETE /admin/v1/providers/${credential}\` lifts it earlier.`,
      ),
    ];
  }
  if (state === 'open') return [];
  const { name = 'unreachable', message = '', at = '' } = error ?? {};
  const fault = credentialFault(name);
  const cause = fault ? `${name} (${at}). ${fault.sentence}` : `${name}, ${message} (${at}).`;
  return [problem(`The provider of ${who} cannot be used: ${cause}`, remedyOf(name))];
}

export async function checkProviders(client: ApiClient): Promise<Finding[]> {
  return (await client.call('listProviders')).providers.flatMap(providerFindings);
}

export async function checkDeadLetters(client: ApiClient): Promise<Finding[]> {
  const { dead_letters: found, next } = await client.call('listDeadLetters', { limit: 500 });
  if (found.length === 0) return [];
  const groups = [...new Set(found.map(({ group, topic }) => `${group} of ${topic}`))];
  return [
    problem(
      `${found.length}${next === null ? '' : ' or more'} records could not be handled: by ${groups.join(', ')}.`,
      '`tidings dead-letters list` shows why. Repair the cause, or upgrade every process, then run `tidings redrive`.',
    ),
  ];
}

export async function checkDeletions(client: ApiClient): Promise<Finding[]> {
  const { deletions } = await client.call('listDeletions');
  return [...Map.groupBy(deletions, ({ application }) => application)].map(([application, open]) => {
    const devices = open.find((each) => each.devices !== null)?.devices ?? 0;
    const left = devices > 0 ? `, ${devices} devices among it` : '';
    const services = open.map(({ service }) => service).join(', ');
    return warning(
      `Data of the deleted application ${application} is being removed from ${services}${left}.`,
      'Wait: nothing else waits for it. The number of devices falls while the registry runs; its log has a failure that keeps it from falling.',
    );
  });
}

type OpenAccess = ReplyOf<'listOpenAccess'>['applications'][number];

function openAccessOf(access: OpenAccess): Finding[] {
  const { application, inbox_token_required: inbox, test_device_token_required: testDevices } = access;
  const count = access.unconfirmed_test_devices;
  const found: Finding[] = [];
  if (count > 0) {
    found.push(
      warning(
        `${count} test devices of ${application} were made without a token: messages leave them out.`,
        `\`tidings test-devices list ${application}\` shows them; confirm or delete each. \`tidings test-devices token ${application}\` demands a token.`,
      ),
    );
  }
  if (inbox !== testDevices) {
    const [closed, open, command] = inbox
      ? ['inboxes', 'test devices', 'test-devices token']
      : ['test devices', 'inboxes', 'apps inbox'];
    found.push(
      warning(
        `The application ${application} demands a token for ${closed}, and none for ${open}.`,
        `\`tidings ${command} ${application}\` demands one there, too.`,
      ),
    );
  }
  return found;
}

export async function checkOpenAccess(client: ApiClient): Promise<Finding[]> {
  return (await client.call('listOpenAccess')).applications.flatMap(openAccessOf);
}

type Subscription = ReplyOf<'listSubscriptions'>['subscriptions'][number];

function subscriptionFindings(subscription: Subscription): Finding[] {
  const { id, endpoint, enabled, disabled_at: at, disabled_reason: reason } = subscription;
  const who = `The subscription ${id} to ${endpoint || 'a subscriber that dials in'}`;
  if (enabled) return deferredBy(who, subscription);
  if (at === null) return [];
  return [
    problem(
      `${who} gets no events since ${at}: ${reason}.`,
      'Repair its endpoint, then enable it by `PATCH /admin/v1/subscriptions/{id}` with `{"enabled":true}`; or delete it.',
    ),
  ];
}

function deferredBy(
  who: string,
  { deferred_events: deferred, oldest_deferred_at: oldest, dropped_events: dropped }: Subscription,
): Finding[] {
  if (!(deferred + dropped > 0)) return [];
  const since = oldest === null ? '' : `, the oldest of ${oldest}`;
  return [
    warning(
      `${who} refuses or does not answer some events: ${deferred} are deferred${since}; ${dropped} were dropped.`,
      'The log of webhooks has the last reason. Have the subscriber acknowledge what it cannot use: an event is sent for 72 hours, and of more than 100,000 deferred ones the oldest are dropped.',
    ),
  ];
}

export async function checkSubscriptions(client: ApiClient): Promise<Finding[]> {
  return (await client.call('listSubscriptions')).subscriptions.flatMap(subscriptionFindings);
}

export function failureOf(error: unknown): string {
  if (error instanceof Refusal) return `HTTP ${error.reply.status}`;
  if (!(error instanceof Error)) return String(error);
  // A failure to connect to several addresses has a code alone.
  return error.message.trim() || ((error as NodeJS.ErrnoException).code ?? error.name);
}
