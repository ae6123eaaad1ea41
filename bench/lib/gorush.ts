import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { exitWithParent } from '@tidings/coordination';
import { freePort } from '@tidings/runtime';
import { generateApnsKey, selfSigned } from '@tidings/simulators';
import { builtOnce, cache, hasGo } from '../../tools/go-programs.mjs';
import { startProgram } from './processes.ts';
import { type Sender, senderAt } from './sender.ts';
import type { Providers } from './world.ts';

const VERSION = '1.18.9';
const program = {
  path: join(cache, `gorush-${VERSION}`, 'gorush'),
  module: `github.com/appleboy/gorush@v${VERSION}`,
};
/** The only sandbox that gorush knows: it gets there by the proxy of its settings. */
const APNS_HOST = 'api.sandbox.push.apple.com';

export interface Gorush extends Sender {
  stop(): Promise<void>;
}

/** @returns why there is none, if Go is missing or cannot build it */
export async function startGorush(providers: Providers, devices: number): Promise<Gorush | string> {
  try {
    await builtOnce(program);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return hasGo() ? 'not measured: Go cannot build it' : 'not measured: Go is missing';
  }
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  const tls = selfSigned({ host: APNS_HOST });
  const [proxy, port] = [await startProxy(providers.apnsUrl, tls), await freePort()];
  const [settings, certificates] = [join(folder, 'gorush.yml'), join(folder, 'certificates.pem')];
  await writeFile(certificates, tls.cert);
  await writeFile(settings, JSON.stringify(settingsOf({ port, proxyUrl: proxy.url })));
  const child = spawn(program.path, ['-c', settings], {
    cwd: folder,
    env: { ...process.env, SSL_CERT_FILE: certificates },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.once('exit', exitWithParent(child.pid!));
  const feeder = await startProgram<{ url: string }>('bench/programs/gorush-feeder.ts', [`http://127.0.0.1:${port}`]);
  const processes = [
    { name: 'gorush', pid: child.pid! },
    { name: 'feeder', pid: feeder.pid },
  ];
  return {
    ...(await senderAt(feeder.ready.url, processes, devices)),
    async stop() {
      await feeder.stop();
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      proxy.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function settingsOf({ port, proxyUrl }: { readonly port: number; readonly proxyUrl: string }) {
  const key = generateApnsKey();
  return {
    core: {
      enabled: true,
      address: '127.0.0.1',
      port: String(port),
      mode: 'release',
      sync: true,
      worker_num: 100,
      queue_num: 8192,
      max_notification: 100,
      http_proxy: proxyUrl,
    },
    queue: { engine: 'local' },
    android: { enabled: false },
    ios: {
      enabled: true,
      key_base64: Buffer.from(key.privateKey).toString('base64'),
      key_type: 'p8',
      key_id: key.keyId,
      team_id: key.teamId,
      production: false,
      max_concurrent_pushes: 500,
    },
    log: { format: 'string', access_log: 'stdout', access_level: 'error', error_log: 'stderr', error_level: 'error' },
    stat: { engine: 'memory' },
  };
}

/** Ends the TLS of every tunnel here, so that the plain simulator serves it. */
async function startProxy(apnsUrl: string, tls: ReturnType<typeof selfSigned>) {
  const server = createServer();
  const { hostname, port } = new URL(apnsUrl);
  server.on('connect', (_request, socket) => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const secure = new TLSSocket(socket, { ...tls, isServer: true, ALPNProtocols: ['h2'] });
    const provider = connect(Number(port), hostname);
    pipeline(secure, provider, secure, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
