import { createGateway } from '@tidings/gateway';
import { systemClock } from '@tidings/kernel';
import { ApplicationView, TokenScope, TokenView } from '@tidings/rpc';
import { stubServices } from '@tidings/rpc/testing';
import { openLog, openMetrics, keysFrom } from '@tidings/runtime';

/** The unmodified gateway, in front of services that answer at once. */
const ACCOUNT = 'bench';
const APPLICATION = 'A1B2C-3D4E5';
const SECRET = 'bench-device-token';

const TOKEN = TokenView.fromPartial({
  id: 'token',
  account: ACCOUNT,
  scope: TokenScope.TOKEN_SCOPE_DEVICE,
  allApplications: true,
});

const services = stubServices({
  tokens: { resolveToken: async ({ secret }) => ({ token: secret === SECRET ? TOKEN : undefined }) },
  applications: {
    findApplication: async ({ application }) => ({
      application: ApplicationView.fromPartial({ account: ACCOUNT, code: application, authorizeAllTokens: true }),
    }),
  },
  devices: {
    apply: async ({ commands }) => ({ replies: commands.map(() => ({ fault: undefined })) }),
  },
});

const keys = keysFrom(new Uint8Array(32));
const gateway = await createGateway({
  services,
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
