import { createGateway } from '@tidings/gateway';
import { Fault, systemClock } from '@tidings/kernel';
import {
  type Accounts,
  type Attempts,
  ApplicationView,
  type Devices,
  type Geozones,
  type Inbox,
  type Jobs,
  type Messages,
  type DeadLetters,
  type Plans,
  type Presets,
  type Segments,
  type Statistics,
  type Subscriptions,
  TokenScope,
  TokenView,
} from '@tidings/rpc';
import { openLog, openMetrics, keysFrom } from '@tidings/runtime';

/** G1: the unmodified gateway, in front of services that answer at once. */
const ACCOUNT = 'bench';
const APPLICATION = 'A1B2C-3D4E5';
const SECRET = 'bench-device-token';

const TOKEN = TokenView.fromPartial({
  id: 'token',
  account: ACCOUNT,
  scope: TokenScope.TOKEN_SCOPE_DEVICE,
  allApplications: true,
});

const unused = (service: string): never => {
  throw Fault.bug(`${service} is not measured`);
};
const stub = <Service extends object>(name: string, methods: Partial<Service>): Service =>
  new Proxy(methods, {
    get: (own, key) => Reflect.get(own, key) ?? (() => unused(`${name}.${String(key)}`)),
  }) as Service;

const accounts = stub<Accounts>('accounts', {
  resolveToken: async ({ secret }) => ({ token: secret === SECRET ? TOKEN : undefined }),
  findApplication: async ({ application }) => ({
    application: ApplicationView.fromPartial({ account: ACCOUNT, code: application, authorizeAllTokens: true }),
  }),
});
const devices = stub<Devices>('devices', {
  apply: async ({ commands }) => ({ replies: commands.map(() => ({ fault: undefined })) }),
});

const keys = keysFrom(new Uint8Array(32));
const gateway = await createGateway({
  accounts,
  devices,
  presets: stub<Presets>('presets', {}),
  segments: stub<Segments>('segments', {}),
  geozones: stub<Geozones>('geozones', {}),
  inbox: stub<Inbox>('inbox', {}),
  jobs: stub<Jobs>('jobs', {}),
  messages: stub<Messages>('messages', {}),
  statistics: stub<Statistics>('statistics', {}),
  deadLetters: stub<DeadLetters>('deadLetters', {}),
  plans: stub<Plans>('plans', {}),
  attempts: stub<Attempts>('attempts', {}),
  subscriptions: stub<Subscriptions>('subscriptions', {}),
  processes: [],
  dispatchers: () => [],
  disposableDomains: new Set(),
  broker: {
    publish: async () => [],
    subscribe: async () => ({ stop: async () => undefined }),
    addTopic: async () => undefined,
  },
  clock: systemClock,
  log: openLog('warn'),
  metrics: openMetrics(),
  masterKeys: keys.master,
  identity: () => keys.identity,
  adminToken: 'bench',
  publicUrl: 'http://127.0.0.1',
});
await gateway.listen(0, '127.0.0.1');
console.log(JSON.stringify({ ready: { url: await gateway.getUrl(), application: APPLICATION, token: SECRET } }));
